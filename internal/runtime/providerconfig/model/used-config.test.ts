import { describe, expect, test } from '@jest/globals';
import { wrap } from '../../../base/errors/errors.ts';
import { legacyKinds, modernKinds, user } from '../usage/usage.fixture.ts';
import { isMissingReference, usedConfigOf } from './used-config.ts';

describe('the configuration that a resource names', () => {
  test('of the legacy generation is one of the cluster, whatever kind the reference states', () => {
    expect(usedConfigOf(user('legacy', { kind: 'Other', name: 'prod' }), legacyKinds)).toEqual({
      type: legacyKinds.config,
      key: { name: 'prod' },
      ref: { name: 'prod' },
      isDefault: false,
    });
  });

  test('of the modern generation is one of its namespace or of the cluster', () => {
    const inNamespace = { kind: 'ProviderConfig', name: 'prod' };
    expect(usedConfigOf(user('modern', inNamespace), modernKinds)).toEqual({
      type: modernKinds.config,
      key: { namespace: 'shop', name: 'prod' },
      ref: inNamespace,
      isDefault: false,
    });
    const ofCluster = { kind: 'ClusterProviderConfig', name: 'prod' };
    expect(usedConfigOf(user('modern', ofCluster), modernKinds)).toEqual({
      type: modernKinds.clusterConfig,
      key: { name: 'prod' },
      ref: ofCluster,
      isDefault: false,
    });
  });

  test('is the default one only where the API server would have said the same', () => {
    const isDefault = (generation: 'legacy' | 'modern', kind: string) =>
      usedConfigOf(
        user(generation, { kind, name: 'default' }),
        generation === 'legacy' ? legacyKinds : modernKinds,
      ).isDefault;
    expect(isDefault('legacy', '')).toBe(true);
    expect(isDefault('modern', 'ClusterProviderConfig')).toBe(true);
    expect(isDefault('modern', 'ProviderConfig')).toBe(false);
  });

  test.each([
    {
      title: '[198] legacy, no reference',
      resource: user('legacy', undefined),
      kinds: legacyKinds,
      message: 'managed resource does not reference a ProviderConfig',
      missing: true,
    },
    {
      title: '[201] modern, no reference',
      resource: user('modern', undefined),
      kinds: modernKinds,
      message: 'managed resource does not reference a ProviderConfig',
      missing: true,
    },
    {
      title: '[201] modern, a reference without kind',
      resource: user('modern', { name: 'prod' }),
      kinds: modernKinds,
      message: 'managed resource ProviderConfig reference has no Kind',
      missing: true,
    },
    {
      title: '(ours) modern, a reference to something else',
      resource: user('modern', { kind: 'Secret', name: 'prod' }),
      kinds: modernKinds,
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
