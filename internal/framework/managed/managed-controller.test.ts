import { afterEach, describe, expect, test } from '@jest/globals';
import { ProviderError, WaitingError } from '../base/errors/errors.ts';
import { createFakeWatchedObject } from '../base/errors/fake-watched-object.ts';
import { valueAt } from '../base/json/json-value.ts';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../base/telemetry/telemetry.ts';
import { createBackoff } from '../base/time/backoff.ts';
import { sleep } from '../base/time/clock.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { annotationShardOwner } from '../controller/reconcile/shard-ownership.ts';
import type { Enqueue, Source } from '../controller/sources/source.ts';
import type { ObjectCache } from '../kube/cache/cache.ts';
import { createInformer } from '../kube/cache/informer.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { createFakeCache } from '../kube/fakes/fake-cache.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { apiError, createMemoryClient } from '../kube/fakes/memory-client.ts';
import { createFakeExternal, type FakeExternalBehaviour } from './fakes/fake-external.ts';
import { namespacedWidgets as type, type Widget, widget } from './fakes/managed-harness.ts';
import type { ManagedKind } from './kind/managed-kind.ts';
import { createManagedController, type ManagedControllerOptions } from './managed-controller.ts';
import type { Connection } from './providerconfig/config-use.ts';
import { reconciledManagedKind } from './reconciled-kind.ts';
import type { Managed } from './resource/managed.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The whole controller on an API server in memory: informer, queue, reconciler, watch triggers. */
async function setup(
  behaviour: FakeExternalBehaviour<Widget>,
  kind: Partial<ManagedKind<Widget>> = {},
  options: Partial<ManagedControllerOptions<Widget>> = {},
  { answerAfterMs = 0 } = {},
) {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const answeringLate: KubeClient = {
    ...client,
    update: async (...request) => {
      const answer = await client.update(...request);
      await sleep(clock, answerAfterMs);
      return answer;
    },
  };
  const external = createFakeExternal<Widget>(behaviour);
  const recorder = createFakeRecorder();
  const random = () => 0.5;
  const common = { client, clock, random, log: nopLogger };
  const { transform } = reconciledManagedKind({ type, connector: external.connector }, common);
  const cache = createInformer<Widget>({ ...common, type, ...(transform && { transform }) });
  const controller = createManagedController<Widget>({
    kind: { type, connector: external.connector, initializers: [], ...kind },
    client: answerAfterMs > 0 ? answeringLate : client,
    cache,
    recorder,
    clock,
    random,
    log: nopLogger,
    metrics: createFakeMetrics(),
    ...options,
  });
  ends.push(cache.start(), () => controller.stop());
  controller.watch();
  await clock.advance(0);
  controller.work();
  const key = { namespace: 'shop', name: 'w' };
  return {
    clock,
    client,
    recorder,
    create: (parts: Partial<Widget> = {}) => client.create(type, widget(type, parts)),
    reads: () => client.requests.filter(({ verb }) => verb === 'get').length,
    stored: () => client.peek(type, key),
    observed: () => external.calls.filter((verb) => verb === 'observe').length,
    calls: external.calls,
    writes: () => client.requests.filter(({ verb }) => ['update', 'patch', 'delete'].includes(verb)).length,
    key,
  };
}
const present = { state: 'present', upToDate: true } as const;

describe('managed controller', () => {
  test('a new resource under a deterministic name is settled by one reconcile and three writes', async () => {
    const h = await setup(
      { observe: [{ state: 'absent', externalName: 'a/b' }, present] },
      { deterministicExternalName: true, observeAfterCreate: true },
    );
    await h.create();
    await h.clock.advance(5000);
    expect(h.calls).toEqual(['connect', 'observe', 'create', 'observe', 'disconnect']);
    expect(h.writes()).toBe(3);
    expect(h.recorder.events).toHaveLength(1);
  });

  test('a resource with large annotations of others is read when it is reconciled, and keeps them', async () => {
    const h = await setup(
      { observe: [{ state: 'absent', externalName: 'a/b' }, present] },
      { deterministicExternalName: true, observeAfterCreate: true },
    );
    const annotations = { 'example.com/note': 'x'.repeat(200_000) };
    const { metadata } = widget(type);
    await h.create({ metadata: { ...metadata, annotations } });
    await h.clock.advance(5000);
    expect(h.stored()?.metadata.annotations).toMatchObject({
      ...annotations,
      'crossplane.io/external-name': 'a/b',
    });
    const before = { calls: h.calls.length, reads: h.reads() };
    await h.clock.advance(30_000);
    expect([h.calls.length, h.reads()]).toEqual([before.calls, before.reads]);
    const change = { metadata: { annotations: { 'example.com/note': 'y'.repeat(200_000) } } };
    await h.client.mergePatch(type, h.key, change);
    await h.clock.advance(1000);
    expect([h.calls.length > before.calls, h.reads()]).toEqual([true, before.reads + 1]);
    expect(h.stored()?.metadata.annotations).toMatchObject(change.metadata.annotations);
  });

  test('a resource whose status the API server refuses is reconciled again: only the external system can change it', async () => {
    const h = await setup({ observe: present });
    const stop = h.client.onRequest(({ subresource }) => {
      if (subresource === 'status') throw apiError(422, 'Invalid');
    });
    await h.create();
    await h.clock.advance(120_000);
    expect(h.observed()).toBeGreaterThan(5);
    stop();
    await h.clock.advance(61_000);
    expect(h.stored()?.status).toBeDefined();
  });

  test('a status is stored without the fields of the external system that its schema refuses, and an event names them', async () => {
    const h = await setup({
      observe: (resource) => {
        resource.status = { ...resource.status, atProvider: { size: 3, ...{ utc: true, on: { a: 1 } } } };
        return present;
      },
    });
    const refused = (name: string) => ({ field: `status.atProvider.${name}`, message: `${name} is wrong` });
    const others = [{ field: 'spec.size', message: 'size is wrong' }, { message: 'something is wrong' }];
    h.client.onRequest(({ subresource, body }) => {
      const { utc, on } = Object(valueAt(body, ['status', 'atProvider']));
      const causes = [...(utc ? [refused('utc')] : []), ...(on ? [refused('on.a')] : [])];
      if (subresource === 'status' && causes.length > 0)
        throw apiError(422, 'Invalid', 'refused', { causes: [...others, ...causes] });
    });
    await h.create();
    await h.clock.advance(1000);
    expect(h.stored()?.status?.atProvider).toEqual({ size: 3 });
    expect(h.stored()?.status?.conditions).toEqual(
      expect.arrayContaining([expect.objectContaining({ type: 'Synced', status: 'True' })]),
    );
    expect(h.recorder.lines()).toEqual([
      'Warning CannotUpdateManagedResource: its status is stored without atProvider.utc, atProvider.on, which the API server refuses: cannot reach the object on memory cluster: refused',
    ]);
  });

  test.each([
    { where: 'etcd', error: apiError(500, 'InternalError', 'etcdserver: request is too large') },
    { where: 'the API server', error: apiError(413, 'RequestEntityTooLarge', 'limit is 3145728') },
  ])(
    'a status that is too large for $where is stored without the fields that make it so',
    async ({ error }) => {
      const log = 'x'.repeat(2_000_000);
      // With its name as many characters as may stay.
      const note = 'x'.repeat(16 * 1024 - '{"note":""}'.length);
      const h = await setup({
        observe: (resource) => {
          resource.status = { ...resource.status, atProvider: { size: 3, ...{ log, note } } };
          return present;
        },
      });
      h.client.onRequest(({ subresource, body }) => {
        if (subresource === 'status' && JSON.stringify(body).length > 1_500_000) throw error;
      });
      await h.create();
      await h.clock.advance(1000);
      expect(h.stored()?.status?.atProvider).toEqual({ size: 3, note });
      expect(h.stored()?.status?.conditions).toEqual(
        expect.arrayContaining([expect.objectContaining({ type: 'Synced', status: 'True' })]),
      );
      expect(h.recorder.lines()).toEqual([
        expect.stringContaining(
          'its status is stored without atProvider.log, which the API server refuses: ',
        ),
      ]);
    },
  );

  test('a watch that is faster than the responses to own writes causes no further reconcile', async () => {
    const h = await setup(
      { observe: [{ state: 'absent', externalName: 'a/b' }, present] },
      { deterministicExternalName: true, observeAfterCreate: true },
      {},
      { answerAfterMs: 10 },
    );
    await h.create();
    await h.clock.advance(5000);
    expect(h.calls).toEqual(['connect', 'observe', 'create', 'observe', 'disconnect']);
  });

  test('a resource that left for another shard and came back before a reconcile is acquired, and not taken for lost', async () => {
    const cache = createFakeCache<Widget>();
    const h = await setup({ observe: present }, {}, { labelSelector: 's=a', cache });
    const seeded = h.client.seed(type, widget(type));
    cache.put(seeded);
    await h.clock.advance(1000);
    expect(h.stored()?.metadata.annotations).toEqual({ [annotationShardOwner]: 's=a' });
    const own = await h.client.mergePatch(type, h.key, { spec: { forProvider: { size: 2 } } });
    cache.put(own);
    await h.clock.advance(1000);
    expect(h.observed()).toBe(2);
    await h.client.mergePatch(type, h.key, {
      metadata: { annotations: { [annotationShardOwner]: 's=b' } },
    });
    cache.remove(own);
    cache.put(h.stored() ?? own);
    await h.clock.advance(1000);
    expect(h.recorder.lines()).toEqual([]);
    expect(h.stored()?.metadata.annotations).toMatchObject({ [annotationShardOwner]: 's=a' });
  });

  test('a change by another client during a reconcile causes the next one at its end', async () => {
    const h = await setup({ observe: present }, {}, {}, { answerAfterMs: 10 });
    await h.create();
    await h.clock.advance(5);
    expect(h.observed()).toBe(1);
    await h.client.mergePatch(type, h.key, { spec: { forProvider: { size: 2 } } });
    await h.clock.advance(100);
    expect(h.observed()).toBe(2);
  });

  test('without a second observation the record of the create causes the next reconcile at once', async () => {
    const h = await setup({ observe: [{ state: 'absent' }, present] });
    await h.create();
    await h.clock.advance(0);
    expect(h.calls.filter((verb) => verb !== 'disconnect')).toEqual([
      'connect',
      'observe',
      'create',
      'connect',
      'observe',
    ]);
  });

  test('a reconcile that starts before the cache has the own write uses the written version', async () => {
    const lagging = widget(type, { metadata: { resourceVersion: '2' } });
    const cache: ObjectCache<Widget> = {
      get: () => lagging,
      list: () => [lagging],
      hasSynced: () => true,
      whenSynced: async () => undefined,
      subscribe: (handler) => {
        handler({ type: 'added', object: lagging, initial: true });
        return () => undefined;
      },
    };
    const h = await setup({ observe: [{ state: 'absent' }, present] }, {}, { cache });
    const refused: unknown[] = [];
    h.client.onRequest(({ verb, body }) => {
      const sent = body as Widget | undefined;
      const current = h.stored()?.metadata.resourceVersion;
      if (verb === 'update' && sent?.metadata.resourceVersion !== current) refused.push(sent);
    });
    h.client.seed(type, lagging);
    await h.clock.advance(2000);
    expect(h.calls.filter((verb) => verb === 'create')).toHaveLength(1);
    expect(h.stored()?.status?.conditions?.[0]).toMatchObject({ type: 'Synced', status: 'True' });
    expect(refused).toEqual([]);
  });

  test('a settled resource is polled', async () => {
    const h = await setup({ observe: present });
    await h.create();
    await h.clock.advance(0);
    const before = h.observed();
    await h.clock.advance(180_000);
    expect(h.observed() - before).toBe(3);
  });

  test('a change of the spec is reconciled at once, a change of the status is not', async () => {
    const h = await setup({ observe: present });
    await h.create();
    await h.clock.advance(2000);
    const before = h.observed();
    const stored = h.stored();
    if (stored)
      await h.client.updateStatus(type, { ...stored, status: { ...stored.status, atProvider: { size: 9 } } });
    await h.clock.advance(0);
    expect(h.observed()).toBe(before);
    await h.client.mergePatch(type, h.key, { spec: { forProvider: { size: 2 } } });
    await h.clock.advance(0);
    expect(h.observed()).toBe(before + 1);
  });

  test('[7b] a waiting resource is requeued when the watched object changes, but not right after its reconcile', async () => {
    const target = createFakeWatchedObject();
    let there = false;
    const h = await setup({
      connect: () => {
        if (!there) throw new WaitingError('Secret shop/admin not found', { targets: [target] });
      },
      observe: present,
    });
    await h.create();
    await h.clock.advance(0);
    expect(target.watchers()).toBe(1);
    there = true;
    target.change();
    await h.clock.advance(99);
    expect(h.observed()).toBe(0);
    await h.clock.advance(1);
    expect(h.observed()).toBe(1);
    expect(target.watchers()).toBe(0);
  });

  test('a waiting resource that is deleted is waited for no longer', async () => {
    const target = createFakeWatchedObject();
    const h = await setup({
      connect: () => {
        throw new WaitingError('Secret shop/admin not found', { targets: [target] });
      },
    });
    await h.create();
    await h.clock.advance(0);
    await h.client.delete(type, h.key);
    await h.clock.advance(0);
    expect(target.watchers()).toBe(0);
  });

  test('stopping ends the watches for those who wait', async () => {
    const target = createFakeWatchedObject();
    const h = await setup({
      connect: () => {
        throw new WaitingError('x', { targets: [target] });
      },
    });
    await h.create();
    await h.clock.advance(0);
    for (const end of ends.splice(0)) await end();
    expect(target.watchers()).toBe(0);
    expect(h.clock.pending()).toBe(0);
  });

  test('a deleted resource is gone when the external resource is gone', async () => {
    const h = await setup({ observe: [present, present, { state: 'absent' }] });
    await h.create();
    await h.clock.advance(0);
    await h.client.delete(type, h.key);
    await h.clock.advance(1000);
    expect(h.calls).toContain('delete');
    expect(h.stored()).toBeUndefined();
  });

  test.each([
    { what: 'what the kind watches besides', kindOf: (source: Source) => ({ sources: () => [source] }) },
    {
      what: 'a configuration that resources of the kind use',
      kindOf: (source: Source) => ({
        configUse: {
          connect: async <C>(_: Managed, { open }: Connection<C>) => open(),
          end: async () => undefined,
          endForDeleted: async () => undefined,
          source,
        },
      }),
    },
  ])('$what brings resources up too', async ({ kindOf }) => {
    let enqueue: Enqueue = () => undefined;
    const source: Source = {
      start: (to) => {
        enqueue = to;
        return () => undefined;
      },
      hasSynced: () => true,
      whenSynced: async () => undefined,
    };
    const h = await setup({ observe: [present, present] }, kindOf(source));
    await h.create();
    await h.clock.advance(0);
    const before = h.calls.length;
    enqueue('shop/w');
    await h.clock.advance(0);
    expect(h.calls.slice(before)).toContain('observe');
  });
});

describe('the options of a managed controller', () => {
  const named = (name: string) => widget(type, { metadata: { name, uid: `uid-${name}` } });
  const host = { limitKeysOf: () => [{ name: 'host', slots: 1 }] };
  const hanging = () => {
    const connected: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    // First of all: a controller stops when its reconciles have ended.
    ends.push(resolve);
    const connect = (resource: Widget) => {
      connected.push(resource.metadata.name);
      return promise;
    };
    return { connected, connect };
  };

  test('resources of one limit key are reconciled as many at a time as it has slots', async () => {
    const { connected, connect } = hanging();
    const limitKeysOf = ({ metadata }: Widget) => (metadata.name === 'w' ? [] : host.limitKeysOf());
    const h = await setup({ connect }, { limitKeysOf }, { workers: 3 });
    for (const name of ['u', 'v', 'w']) await h.client.create(type, named(name));
    await h.clock.advance(1);
    expect(connected).toEqual(['u', 'w']);
  });

  test('a controller has as many reconciles in progress as workers', async () => {
    const { connected, connect } = hanging();
    const h = await setup({ connect }, {}, { workers: 2 });
    for (const name of ['u', 'v', 'w']) await h.client.create(type, named(name));
    await h.clock.advance(1);
    expect(connected).toEqual(['u', 'v']);
  });

  test('a failed reconcile is repeated after the given backoff', async () => {
    const backoff = { ...createBackoff(), next: () => 7000 };
    const h = await setup({ connect: new ProviderError('transient', 'no route to host') }, {}, { backoff });
    const connects = () => h.calls.filter((call) => call === 'connect').length;
    await h.create();
    await h.clock.advance(6999);
    expect(connects()).toBe(1);
    await h.clock.advance(1);
    expect(connects()).toBe(2);
  });
});
