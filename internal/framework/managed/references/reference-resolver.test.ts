import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { clusterWidgets, namespacedWidgets, widget } from '../fakes/managed-harness.ts';
import { createReferenceResolver } from './reference-resolver.ts';
import { extract, type Network, networks, tier } from './references.fixture.ts';

test('a cluster-scoped object must name the namespace of what it refers to', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  const { signal } = new AbortController();
  const resolver = createReferenceResolver({ client, from: widget(clusterWidgets), signal });
  const field = {
    value: undefined,
    ref: { name: 'a' },
    selector: undefined,
    to: { type: networks, extract },
  };
  await expect(resolver.one(field)).rejects.toMatchObject({
    kind: 'terminal',
    message: 'the reference to Network a names no namespace',
  });
});

test('a selector reads page by page, and no further than it must', async () => {
  const client = createMemoryClient({ clock: createFakeClock() });
  for (let i = 0; i < 1200; i++) {
    const metadata = { name: `n-${i}`, namespace: 'shop', labels: { tier: 'front' } };
    client.seed<Network>(networks, {
      apiVersion: 'm.example.org/v1',
      kind: 'Network',
      metadata,
      status: { id: `id-${i}` },
    });
  }
  const { signal } = new AbortController();
  const resolver = createReferenceResolver({ client, from: widget(namespacedWidgets), signal });
  const field = { selector: tier('front'), to: { type: networks, extract } };
  const { values } = await resolver.many({ values: undefined, refs: undefined, ...field });
  expect(values).toHaveLength(1200);
  expect(client.requests).toHaveLength(3);
  await resolver.one({ value: undefined, ref: undefined, ...field });
  expect(client.requests).toHaveLength(4);
});
