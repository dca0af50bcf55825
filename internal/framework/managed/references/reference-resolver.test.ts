import { describe, expect, test } from '@jest/globals';
import { WaitingError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { createObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
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

describe('a resource waits', () => {
  const from = widget(namespacedWidgets);
  const to = { type: networks, extract };
  function waitingFor(...seeded: string[]) {
    const clock = createFakeClock();
    const client = createMemoryClient({ clock });
    for (const name of seeded) {
      const metadata = { name, namespace: 'shop', labels: { tier: 'front' } };
      client.seed<Network>(networks, { apiVersion: 'm.example.org/v1', kind: 'Network', metadata });
    }
    const { signal } = new AbortController();
    const objectWatcher = createObjectWatcher({ client, clock });
    const resolver = createReferenceResolver({ client, from, signal, objectWatcher });
    return { ...resolver, client, clock };
  }
  const one = { value: undefined, ref: undefined, selector: undefined, to };
  const many = { values: undefined, refs: undefined, selector: undefined, to };
  const forNetwork = {
    kind: 'waiting',
    retry: false,
    targets: [{ description: 'Network shop/a on memory cluster' }],
  };

  test('for the target of a reference that does not exist', async () => {
    const resolver = waitingFor();
    await expect(resolver.one({ ...one, ref: { name: 'a' } })).rejects.toMatchObject(forNetwork);
    await expect(resolver.many({ ...many, refs: [{ name: 'a' }] })).rejects.toMatchObject(forNetwork);
  });

  test('for a target that has no value yet, named or selected', async () => {
    const resolver = waitingFor('a');
    const selector = tier('front');
    await expect(resolver.one({ ...one, ref: { name: 'a' } })).rejects.toMatchObject(forNetwork);
    await expect(resolver.one({ ...one, selector })).rejects.toMatchObject(forNetwork);
    await expect(resolver.many({ ...many, selector })).rejects.toMatchObject(forNetwork);
  });

  test('for a change of a target that has no value yet, not for the version that was read', async () => {
    const { one: resolve, client, clock } = waitingFor('a');
    const error = await resolve({ ...one, ref: { name: 'a' } }).catch((thrown: unknown) => thrown);
    if (!(error instanceof WaitingError)) throw new Error('it does not wait');
    let changes = 0;
    const stops = error.targets.map((target) => target.watch(() => changes++));
    await clock.advance(1000);
    expect(changes).toBe(0);
    await client.mergePatch(
      networks,
      { name: 'a', namespace: 'shop' },
      { metadata: { labels: { tier: 'back' } } },
    );
    await clock.advance(1000);
    expect(changes).toBe(1);
    for (const stop of stops) stop();
  });

  test('and tries again, if nothing matches its selector', async () => {
    const again = { kind: 'waiting', retry: true, targets: [] };
    const selector = tier('front');
    await expect(waitingFor().one({ ...one, selector })).rejects.toMatchObject(again);
    await expect(waitingFor().many({ ...many, selector })).rejects.toMatchObject(again);
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
