import { describe, expect, test } from '@jest/globals';
import { clusterWidgets, namespacedWidgets, widget } from '../fakes/managed-harness.ts';
import { identityTags } from './identity-tags.ts';

describe('identity tags', () => {
  test.each([
    {
      title: '[255] of a resource with a reference that has a kind',
      resource: widget(clusterWidgets, {
        spec: { providerConfigRef: { kind: 'ClusterProviderConfig', name: 'prod' } },
      }),
      want: {
        'crossplane-kind': 'widget.example.org',
        'crossplane-name': 'w',
        'crossplane-providerconfig': 'prod',
        'crossplane-providerconfig-kind': 'ClusterProviderConfig',
      },
    },
    {
      title: '[256] of a namespaced resource',
      resource: widget(namespacedWidgets, {
        spec: { providerConfigRef: { kind: 'ProviderConfig', name: 'prod' } },
      }),
      want: {
        'crossplane-kind': 'widget.m.example.org',
        'crossplane-name': 'w',
        'crossplane-namespace': 'shop',
        'crossplane-providerconfig': 'prod',
        'crossplane-providerconfig-kind': 'ProviderConfig',
      },
    },
    {
      title: '(ours) of a resource whose reference has no name',
      resource: widget(clusterWidgets, { spec: { providerConfigRef: { kind: 'ProviderConfig', name: '' } } }),
      want: { 'crossplane-kind': 'widget.example.org', 'crossplane-name': 'w' },
    },
    {
      title: '[257] of a legacy resource',
      resource: widget(clusterWidgets, { spec: { providerConfigRef: { name: 'prod' } } }),
      want: {
        'crossplane-kind': 'widget.example.org',
        'crossplane-name': 'w',
        'crossplane-providerconfig': 'prod',
      },
    },
    {
      title: '[258] of a resource without a reference',
      resource: { ...widget(clusterWidgets), apiVersion: 'v1' },
      want: { 'crossplane-kind': 'widget', 'crossplane-name': 'w' },
    },
  ])('$title', ({ resource, want }) => {
    expect(identityTags(resource)).toEqual(want);
  });
});
