import { describe, expect, test } from '@jest/globals';
import { wrap } from '../../../base/errors/errors.ts';
import { clusterKinds, namespacedKinds, user } from '../usage/usage.fixture.ts';
import { isMissingReference, usedConfigOf } from './provider-config.ts';

describe('the configuration that a resource names', () => {
  test('of cluster scope is one of the cluster, whatever kind the reference states', () => {
    expect(usedConfigOf(user('Cluster', { kind: 'Other', name: 'prod' }), clusterKinds)).toEqual({
      type: clusterKinds.config,
      key: { name: 'prod' },
      ref: { name: 'prod' },
      isDefault: false,
    });
  });

  test('of namespaced scope is one of its namespace or of the cluster', () => {
    const inNamespace = { kind: 'ProviderConfig', name: 'prod' };
    expect(usedConfigOf(user('Namespaced', inNamespace), namespacedKinds)).toEqual({
      type: namespacedKinds.config,
      key: { namespace: 'shop', name: 'prod' },
      ref: inNamespace,
      isDefault: false,
    });
    const ofCluster = { kind: 'ClusterProviderConfig', name: 'prod' };
    expect(usedConfigOf(user('Namespaced', ofCluster), namespacedKinds)).toEqual({
      type: namespacedKinds.clusterConfig,
      key: { name: 'prod' },
      ref: ofCluster,
      isDefault: false,
    });
  });

  test('is the default one only where the API server would have said the same', () => {
    const isDefault = (scope: 'Cluster' | 'Namespaced', kind: string) =>
      usedConfigOf(
        user(scope, { kind, name: 'default' }),
        scope === 'Cluster' ? clusterKinds : namespacedKinds,
      ).isDefault;
    expect(isDefault('Cluster', '')).toBe(true);
    expect(isDefault('Namespaced', 'ClusterProviderConfig')).toBe(true);
    expect(isDefault('Namespaced', 'ProviderConfig')).toBe(false);
  });

  test.each([
    {
      title: '[198] legacy, no reference',
      resource: user('Cluster', undefined),
      kinds: clusterKinds,
      message: 'managed resource does not reference a ProviderConfig',
      missing: true,
    },
    {
      title: '[201] modern, no reference',
      resource: user('Namespaced', undefined),
      kinds: namespacedKinds,
      message: 'managed resource does not reference a ProviderConfig',
      missing: true,
    },
    {
      title: '[201] modern, a reference without kind',
      resource: user('Namespaced', { name: 'prod' }),
      kinds: namespacedKinds,
      message: 'managed resource ProviderConfig reference has no Kind',
      missing: true,
    },
    {
      title: '(ours) modern, a reference to something else',
      resource: user('Namespaced', { kind: 'Secret', name: 'prod' }),
      kinds: namespacedKinds,
      message: 'unknown provider config kind: "Secret"',
      missing: false,
    },
  ])('$title', ({ resource, kinds, message, missing }) => {
    let thrown: unknown;
    try {
      usedConfigOf(resource, kinds);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ kind: 'terminal', message });
    expect(isMissingReference(wrap(thrown, 'connect failed'))).toBe(missing);
  });
});
