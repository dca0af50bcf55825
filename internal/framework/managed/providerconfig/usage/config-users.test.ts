import { describe, expect, test } from '@jest/globals';
import { configKeyOf, isUserOf, usersOf } from './config-users.ts';
import {
  clusterConfig,
  clusterKinds,
  configOfCluster,
  configOfNamespace,
  namespacedKinds,
  usageOf,
} from './usage.fixture.ts';

const legacy = usageOf('Cluster', { name: 'prod' });
const modern = usageOf('Namespaced', { kind: 'ProviderConfig', name: 'prod' });
const ofCluster = usageOf('Namespaced', { kind: 'ClusterProviderConfig', name: 'prod' });

describe('the configuration that a usage counts for', () => {
  test.each([
    {
      title: '[184] what is no usage counts for none',
      usage: { ...legacy, providerConfigRef: undefined },
      key: undefined,
    },
    { title: '[185] a legacy one: by its name', usage: legacy, key: 'prod' },
    { title: '[186] one with a kind: by namespace and name', usage: modern, key: 'shop/prod' },
    { title: '[187] of a kind of the cluster: by its name', usage: ofCluster, key: 'prod' },
    { title: '[188] of the kind asked for', usage: modern, kind: 'ProviderConfig', key: 'shop/prod' },
    { title: '[189] of another kind', usage: modern, kind: 'ClusterProviderConfig', key: undefined },
    {
      title: '[190] without a kind: ProviderConfig',
      usage: { ...modern, providerConfigRef: { kind: '', name: 'prod' } },
      kind: 'ProviderConfig',
      key: 'shop/prod',
    },
  ])('$title', ({ usage: { providerConfigRef, ...usage }, kind, key }) => {
    expect(configKeyOf(providerConfigRef ? { ...usage, providerConfigRef } : usage, kind)).toBe(key);
  });
});

describe('the users of a configuration', () => {
  test('[139] of a namespace are in it', () => {
    expect(usersOf(configOfNamespace, namespacedKinds)).toEqual({
      namespace: 'shop',
      labelSelector: 'crossplane.io/provider-config=prod,crossplane.io/provider-config-kind=ProviderConfig',
    });
    expect(isUserOf(modern, configOfNamespace, namespacedKinds)).toBe(true);
    const elsewhere = { ...modern, metadata: { ...modern.metadata, namespace: 'elsewhere' } };
    expect(isUserOf(elsewhere, configOfNamespace, namespacedKinds)).toBe(false);
  });

  test('[140] of the cluster are anywhere', () => {
    expect(usersOf(clusterConfig, namespacedKinds)).toEqual({
      labelSelector:
        'crossplane.io/provider-config=prod,crossplane.io/provider-config-kind=ClusterProviderConfig',
    });
    expect(isUserOf(ofCluster, clusterConfig, namespacedKinds)).toBe(true);
    expect(isUserOf(modern, clusterConfig, namespacedKinds)).toBe(false);
  });

  test('of cluster scope go by the name alone', () => {
    expect(usersOf(configOfCluster, clusterKinds)).toEqual({
      labelSelector: 'crossplane.io/provider-config=prod',
    });
    expect(isUserOf(legacy, configOfCluster, clusterKinds)).toBe(true);
    expect(isUserOf(usageOf('Cluster', { name: 'other' }), configOfCluster, clusterKinds)).toBe(false);
  });
});
