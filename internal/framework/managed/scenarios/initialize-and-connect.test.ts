import { expect, test } from '@jest/globals';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { apiError } from '../../kube/fakes/memory-client.ts';
import { createHarness, namespacedWidgets } from '../fakes/managed-harness.ts';
import { nameAsExternalName } from '../kind/managed-kind.ts';
import {
  boom,
  existing,
  failingPuts,
  failure,
  poll,
  requeue,
  runScenarios,
  success,
  upToDate,
} from './scenario.ts';

runScenarios('initializing and connecting', () => [
  {
    title: '[6] an initializer fails',
    reason: 'what is not prepared is not observed',
    given: {
      kind: {
        initializers: [
          async () => {
            throw boom;
          },
          async () => {
            throw new Error('the second initializer ran although the first one failed');
          },
        ],
      },
    },
    want: {
      result: requeue,
      conditions: [failure('boom')],
      events: ['Warning CannotInitializeManagedResource: boom'],
      calls: [],
    },
  },
  {
    title: '[106] the name cannot be stored as external name',
    reason: 'the prefix says which write it was',
    given: { kind: { initializers: [nameAsExternalName] } },
    fault: failingPuts(boom),
    want: {
      result: requeue,
      conditions: [failure('cannot update managed resource: boom')],
      events: ['Warning CannotInitializeManagedResource: cannot update managed resource: boom'],
      check: (h) => expect(h.recorder.events[0]?.annotations).toEqual({ 'external-name': 'w' }),
    },
  },
  {
    title: '[107] the name becomes the external name',
    reason: 'most external APIs identify a resource by its name',
    given: {
      resource: existing,
      kind: { initializers: [nameAsExternalName] },
      external: { observe: upToDate },
    },
    want: {
      result: poll,
      writes: ['update', 'update status'],
      check: (h) => expect(h.stored()?.metadata.annotations).toEqual({ 'crossplane.io/external-name': 'w' }),
    },
  },
  {
    title: '[108] an external name is recorded already',
    reason: 'an imported resource keeps its name',
    given: {
      resource: {
        metadata: { ...existing.metadata, annotations: { 'crossplane.io/external-name': 'imported' } },
      },
      kind: { initializers: [nameAsExternalName] },
      external: { observe: upToDate },
    },
    want: {
      result: poll,
      writes: ['update status'],
      check: (h) =>
        expect(h.stored()?.metadata.annotations).toEqual({ 'crossplane.io/external-name': 'imported' }),
    },
  },
  {
    title: '(ours) a deterministic name is stored together with the intent',
    reason: 'one write instead of two for every new resource',
    given: { kind: { initializers: [nameAsExternalName], deterministicExternalName: true } },
    want: {
      result: requeue,
      writes: ['update', 'update', 'update status'],
      check: (h) =>
        expect(h.stored()?.metadata.annotations).toHaveProperty(['crossplane.io/external-name'], 'w'),
    },
  },
  {
    title: '[10] Connect fails',
    reason: 'credentials and addresses are the first thing to get wrong',
    given: { external: { connect: boom } },
    want: {
      result: requeue,
      conditions: [failure('connect failed: boom')],
      events: ['Warning CannotConnectToProvider: boom'],
      calls: [],
      writes: ['update status'],
      check: (h) => {
        expect(h.external.calls).toEqual(['connect']);
        expect(h.stored()?.metadata.finalizers).toBeUndefined();
        expect(h.recorder.events[0]?.annotations).toStrictEqual({});
      },
    },
  },
  {
    title: '[11] Disconnect fails after a successful reconcile',
    reason: 'the reconcile succeeds all the same',
    given: { resource: existing, external: { observe: upToDate, disconnect: boom } },
    want: {
      result: poll,
      conditions: [success],
      events: ['Warning CannotDisconnectFromProvider: boom'],
      check: (h) => expect(h.external.calls).toEqual(['connect', 'observe', 'disconnect']),
    },
  },
]);

test('the connector is disconnected before the client, whatever happened in between', async () => {
  const calls: string[] = [];
  const harness = createHarness({
    type: namespacedWidgets,
    kind: {
      connector: {
        connect: async () => ({
          observe: () => Promise.reject(boom),
          create: async () => ({}),
          update: async () => ({}),
          delete: async () => ({}),
          disconnect: async () => void calls.push('client'),
        }),
        disconnect: async () => void calls.push('connector'),
      },
    },
  });
  await harness.reconcile();
  expect(calls).toEqual(['connector', 'client']);
});

test('a resource that never connected goes at once when it is deleted, since nothing holds it', async () => {
  const harness = createHarness({ type: namespacedWidgets, external: { connect: boom } });
  await harness.reconcile();
  await harness.client.delete(namespacedWidgets, { namespace: 'shop', name: 'w' });
  expect(harness.stored()).toBeUndefined();
});

test('a client that comes after the deadline is closed', async () => {
  let closed = false;
  const late = Promise.withResolvers<void>();
  const harness = createHarness({
    type: namespacedWidgets,
    kind: {
      connector: {
        connect: async () => {
          await late.promise;
          return {
            observe: async () => ({ state: 'absent' }),
            create: async () => ({}),
            update: async () => ({}),
            delete: async () => ({}),
            disconnect: async () => {
              closed = true;
            },
          };
        },
      },
    },
  });
  const running = harness.reconcile();
  await harness.clock.advance(60_000);
  expect(await running).toEqual(requeue);
  expect(closed).toBe(false);
  late.resolve();
  await harness.clock.advance(0);
  expect(closed).toBe(true);
});

test('a foreign 404 inside of a step is no reason to take the resource for gone', async () => {
  const harness = createHarness({
    type: namespacedWidgets,
    resource: { metadata: { finalizers: [managedFinalizer] } },
    external: { connect: apiError(404, 'NotFound', 'Secret shop/x not found') },
  });
  expect(await harness.reconcile()).toEqual(requeue);
  expect(harness.stored()?.status?.conditions?.[0]?.message).toContain('connect failed: ');
});
