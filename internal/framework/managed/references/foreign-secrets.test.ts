import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import type { Secret } from '../../kube/object/object.ts';
import { secrets } from '../../kube/object/resource-type.ts';
import { clusterWidgets, namespacedWidgets, widget } from '../fakes/managed-harness.ts';
import { createReferenceResolver } from './reference-resolver.ts';

const to = { type: secrets, extract: ({ data }: Secret) => data?.id };
const field = { value: undefined, ref: undefined, selector: undefined, to };

function setup(type = namespacedWidgets) {
  const client = createMemoryClient({ clock: createFakeClock() });
  for (const namespace of ['shop', 'elsewhere']) {
    const metadata = { name: 'a', namespace, labels: { tier: 'front' } };
    client.seed<Secret>(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data: { id: namespace } });
  }
  const { signal } = new AbortController();
  const resolver = createReferenceResolver({ client, from: widget(type), signal });
  return { resolver, requests: client.requests };
}

const refused = 'a resource of the namespace "shop" can refer to Secrets of that one alone';

describe('a namespaced resource', () => {
  test('takes values from Secrets of its own namespace', async () => {
    const { resolver } = setup();
    expect(await resolver.one({ ...field, ref: { name: 'a' } })).toMatchObject({ value: 'shop' });
    expect(await resolver.one({ ...field, ref: { name: 'a', namespace: 'shop' } })).toMatchObject({
      value: 'shop',
    });
  });

  test('takes none from another namespace, by reference or by selector, and sends no request for them', async () => {
    const { resolver, requests } = setup();
    const namespace = 'elsewhere';
    const selector = { namespace, matchLabels: { tier: 'front' } };
    await expect(resolver.one({ ...field, ref: { name: 'a', namespace } })).rejects.toThrow(refused);
    await expect(resolver.one({ ...field, selector })).rejects.toThrow(refused);
    await expect(
      resolver.many({ values: undefined, refs: [{ name: 'a', namespace }], selector: undefined, to }),
    ).rejects.toThrow(refused);
    expect(requests).toEqual([]);
  });
});

test('a cluster-scoped resource takes them from where it says', async () => {
  const { resolver } = setup(clusterWidgets);
  const ref = { name: 'a', namespace: 'elsewhere' };
  expect(await resolver.one({ ...field, ref })).toMatchObject({ value: 'elsewhere' });
});
