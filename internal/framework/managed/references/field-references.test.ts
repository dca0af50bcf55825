import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { Managed } from '../resource/managed.ts';
import { type FieldReference, resolveFieldReferences, resolveWithin } from './field-references.ts';
import { createReferenceResolver } from './reference-resolver.ts';
import { type Network, networks } from './references.fixture.ts';

const clusterNetworks = { ...networks, namespaced: false, plural: 'clusternetworks', kind: 'ClusterNetwork' };
const to = { cluster: clusterNetworks, namespaced: networks };
const one: FieldReference = {
  field: 'networkId',
  ref: 'networkIdRef',
  selector: 'networkIdSelector',
  many: false,
  value: ['status', 'id'],
  to,
};
const many: FieldReference = { ...one, field: 'ids', ref: 'idsRefs', selector: 'idsSelector', many: true };
const named: FieldReference = { ...one, value: 'external-name' };

const inRules: FieldReference = { ...one, within: ['rules', 'targets'] };

async function resolve(fields: readonly FieldReference[], forProvider: object, namespace?: string) {
  const client = createMemoryClient({ clock: createFakeClock() });
  const seed = (name: string, own: string | undefined) =>
    client.seed<Network>(own === undefined ? clusterNetworks : networks, {
      apiVersion: 'm.example.org/v1',
      kind: 'Network',
      metadata: {
        name,
        ...(own === undefined ? {} : { namespace: own }),
        labels: { tier: 'front' },
        annotations: { 'crossplane.io/external-name': `external-${name}` },
      },
      status: { id: `id-${name}-${own ?? 'cluster'}` },
    });
  for (const own of ['shop', undefined]) for (const name of ['a', 'b']) seed(name, own);
  const spec: Managed['spec'] & { forProvider: object } = { forProvider };
  const resource: Managed = {
    apiVersion: 'example.org/v1',
    kind: 'Bucket',
    metadata: { name: 'x', ...(namespace === undefined ? {} : { namespace }) },
    spec,
  };
  const { signal } = new AbortController();
  if (fields[0]?.within !== undefined) return resolveWithin(resource, fields, { client, signal });
  await resolveFieldReferences(fields)(resource, createReferenceResolver({ client, from: resource, signal }));
  return forProvider;
}

describe('a table of references', () => {
  test('fills a field of a namespaced resource from one of its namespace', async () => {
    expect(await resolve([one], { networkIdRef: { name: 'a' } }, 'shop')).toEqual({
      networkId: 'id-a-shop',
      networkIdRef: { name: 'a' },
    });
  });

  test('fills that of a cluster-scoped resource from a cluster-scoped one', async () => {
    expect(await resolve([one], { networkIdRef: { name: 'a' } })).toMatchObject({
      networkId: 'id-a-cluster',
    });
  });

  test('takes the external name of the target', async () => {
    expect(await resolve([named], { networkIdRef: { name: 'a' } })).toMatchObject({
      networkId: 'external-a',
    });
  });

  test('fills a list from all that a selector matches, and keeps what it has matched', async () => {
    const idsSelector = { matchLabels: { tier: 'front' } };
    expect(await resolve([many], { idsSelector }, 'shop')).toEqual({
      ids: ['id-a-shop', 'id-b-shop'],
      idsRefs: [{ name: 'a' }, { name: 'b' }],
      idsSelector,
    });
  });

  test('fills fields within lists for requests, and leaves the spec as it is', async () => {
    const [targets, networkIdRef] = [[{ networkIdRef: { name: 'a' } }, { networkId: 'mine' }], { name: 'b' }];
    const forProvider = { title: 'x', rules: [{ targets, own: 1 }, { targets: [{ networkIdRef }] }, 'text'] };
    const before = structuredClone(forProvider);
    expect(await resolve([inRules, many], forProvider, 'shop')).toEqual({
      rules: [
        { own: 1, targets: [{ networkId: 'id-a-shop', networkIdRef: { name: 'a' } }, { networkId: 'mine' }] },
        { targets: [{ networkId: 'id-b-shop', networkIdRef }] },
        'text',
      ],
    });
    expect(forProvider).toEqual(before);
    await expect(
      resolve([inRules], { rules: [{ targets: [{ networkIdRef: { name: 'c' } }] }] }, 'shop'),
    ).rejects.toThrow('Network shop/c');
  });

  test('changes nothing without references', async () => {
    expect(await resolve([one, many], { networkId: 'mine' }, 'shop')).toEqual({ networkId: 'mine' });
  });
});
