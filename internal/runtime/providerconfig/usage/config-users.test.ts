import { describe, expect, test } from '@jest/globals';
import { configKeyOf, isUserOf, usersOf } from './config-users.ts';
import {
  clusterConfig,
  legacyConfig,
  legacyKinds,
  modernConfig,
  modernKinds,
  usageOf,
} from './usage.fixture.ts';

const legacy = usageOf('legacy', { name: 'prod' });
const modern = usageOf('modern', { kind: 'ProviderConfig', name: 'prod' });
const ofCluster = usageOf('modern', { kind: 'ClusterProviderConfig', name: 'prod' });

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
    expect(usersOf(modernConfig, modernKinds)).toEqual({
      namespace: 'shop',
      labelSelector: 'crossplane.io/provider-config=prod,crossplane.io/provider-config-kind=ProviderConfig',
    });
    expect(isUserOf(modern, modernConfig, modernKinds)).toBe(true);
    const elsewhere = { ...modern, metadata: { ...modern.metadata, namespace: 'elsewhere' } };
    expect(isUserOf(elsewhere, modernConfig, modernKinds)).toBe(false);
  });

  test('[140] of the cluster are anywhere', () => {
    expect(usersOf(clusterConfig, modernKinds)).toEqual({
      labelSelector:
        'crossplane.io/provider-config=prod,crossplane.io/provider-config-kind=ClusterProviderConfig',
    });
    expect(isUserOf(ofCluster, clusterConfig, modernKinds)).toBe(true);
    expect(isUserOf(modern, clusterConfig, modernKinds)).toBe(false);
  });

  test('of the legacy generation go by the name alone', () => {
    expect(usersOf(legacyConfig, legacyKinds)).toEqual({
      labelSelector: 'crossplane.io/provider-config=prod',
    });
    expect(isUserOf(legacy, legacyConfig, legacyKinds)).toBe(true);
    expect(isUserOf(usageOf('legacy', { name: 'other' }), legacyConfig, legacyKinds)).toBe(false);
  });
});
