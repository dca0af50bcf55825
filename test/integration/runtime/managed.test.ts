import '../harness/timeout.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WaitingError } from '../../../internal/base/errors/errors.ts';
import { secrets } from '../../../internal/kube/object/resource-type.ts';
import { managedFinalizer } from '../../../internal/runtime/steps/finalizer.ts';
import { eventually } from '../../environment/eventually.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { startThingWorld, type ThingWorld } from './thing-environment.ts';

let world: ThingWorld;
beforeAll(async () => {
  world = await startThingWorld();
});
afterAll(() => world.stop());

const conditionOf = async (name: string, type: string) =>
  (await world.find(name))?.status?.conditions?.find((condition) => condition.type === type);
const untilReady = (name: string) =>
  eventually(async () => {
    expect(await conditionOf(name, 'Synced')).toMatchObject({ status: 'True', reason: 'ReconcileSuccess' });
    expect(await conditionOf(name, 'Ready')).toMatchObject({ status: 'True', reason: 'Available' });
  });
const patch = (name: string, content: object) =>
  world.objects.patch(world.type, { name, namespace: world.namespace }, content);

describe('a managed resource on a real API server', () => {
  test('is ready in its first reconcile, by one write, one status and one event', async () => {
    const name = uniqueName('new');
    await world.create(name);
    await untilReady(name);
    const thing = await world.find(name);
    expect(thing?.metadata.finalizers).toEqual([managedFinalizer]);
    expect(thing?.metadata.annotations).toMatchObject({
      'crossplane.io/external-name': name,
      'crossplane.io/external-create-intent': `${thing?.metadata.uid} ${name}`,
    });
    expect(thing?.status?.atProvider).toEqual({ size: 1 });
    expect(await world.writesTo(name)).toEqual(['update', 'update status']);
    await eventually(async () =>
      expect(await world.eventsOf(name)).toEqual(['Normal CreatedExternalResource 1']),
    );
  });

  test('is not written again by a pass that finds it settled', async () => {
    const name = uniqueName('settled');
    await world.create(name);
    await untilReady(name);
    const before = await world.find(name);
    await patch(name, { metadata: { annotations: { 'crossplane.io/reconcile-requested-at': 'now' } } });
    await eventually(async () =>
      expect((await world.find(name))?.status?.lastHandledReconcileAt).toBe('now'),
    );
    await patch(name, { metadata: { labels: { touched: 'yes' } } });
    const touched = await eventually(async () => {
      const writes = await world.writesTo(name);
      expect(writes).toEqual(['update', 'update status', 'update status']);
      return world.find(name);
    });
    expect(touched?.status?.conditions).toEqual(before?.status?.conditions);
  });

  test('follows its spec, and its fields that no code knows survive', async () => {
    const name = uniqueName('changed');
    await world.create(name, { forProvider: { size: 1, colour: 'red' } });
    await untilReady(name);
    await patch(name, { spec: { forProvider: { size: 2 } } });
    await eventually(() => expect(world.elsewhere.things.get(name)).toEqual({ size: 2 }));
    expect((await world.find(name))?.spec.forProvider.colour).toBe('red');
  });

  test('goes when its external resource is gone, and owns its connection Secret so that it goes too', async () => {
    const name = uniqueName('gone');
    const key = { name: `${name}-conn`, namespace: world.namespace };
    await world.create(name, { writeConnectionSecretToRef: { name: key.name } });
    await untilReady(name);
    const secret = await world.objects.get(secrets, key);
    const uid = (await world.find(name))?.metadata.uid;
    expect(secret).toMatchObject({
      type: 'connection.crossplane.io/v1alpha1',
      metadata: {
        ownerReferences: [{ kind: 'Thing', name, uid, controller: true, blockOwnerDeletion: true }],
      },
      data: { size: Buffer.from('1').toString('base64') },
    });
    await world.objects.delete(world.type, { name, namespace: world.namespace });
    await eventually(async () => expect(await world.find(name)).toBeUndefined());
    expect(world.elsewhere.things.has(name)).toBe(false);
  });

  test('goes under foreground deletion, whose finalizer stands beside ours', async () => {
    const name = uniqueName('foreground');
    await world.create(name, { writeConnectionSecretToRef: { name: `${name}-conn` } });
    await untilReady(name);
    await world.objects.delete(world.type, { name, namespace: world.namespace }, 'Foreground');
    await eventually(() => expect(world.elsewhere.things.has(name)).toBe(false));
    // What is left is the garbage collector's, which looks for new kinds every half minute only.
    await eventually(async () =>
      expect((await world.find(name))?.metadata.finalizers ?? []).not.toContain(managedFinalizer),
    );
  });

  test('waits for other finalizers and goes on as soon as the last one is removed', async () => {
    const name = uniqueName('held');
    await world.create(name);
    await untilReady(name);
    await patch(name, { metadata: { finalizers: [managedFinalizer, 'other.example.org/hold'] } });
    await world.objects.delete(world.type, { name, namespace: world.namespace });
    await eventually(async () => expect((await world.find(name))?.metadata.deletionTimestamp).toBeDefined());
    expect(world.elsewhere.things.has(name)).toBe(true);
    await patch(name, { metadata: { finalizers: [managedFinalizer] } });
    await eventually(async () => expect(await world.find(name)).toBeUndefined());
    expect(world.elsewhere.things.has(name)).toBe(false);
  });

  test('rests while it is paused and goes on afterwards', async () => {
    const name = uniqueName('paused');
    await world.create(name, { managementPolicies: [] });
    await eventually(async () =>
      expect(await conditionOf(name, 'Synced')).toMatchObject({ status: 'False', reason: 'ReconcilePaused' }),
    );
    expect(world.elsewhere.things.has(name)).toBe(false);
    await patch(name, { spec: { managementPolicies: ['*'] } });
    await untilReady(name);
  });

  test('waits without a failure, goes at once if deleted, and wakes when told', async () => {
    const [name, other] = [uniqueName('waiting'), uniqueName('given-up')];
    world.elsewhere.problem = () => new WaitingError('the signal has not come', { targets: [world.signal] });
    try {
      await world.create(name);
      await world.create(other);
      await eventually(async () => {
        for (const each of [name, other]) {
          expect(await conditionOf(each, 'Synced')).toMatchObject({
            status: 'False',
            reason: 'Waiting',
            message: 'the signal has not come',
          });
        }
      });
      await world.objects.delete(world.type, { name: other, namespace: world.namespace });
      expect(await world.find(other)).toBeUndefined();
    } finally {
      world.elsewhere.problem = undefined;
    }
    world.signal.change();
    await untilReady(name);
    await eventually(async () =>
      expect(await world.eventsOf(name)).toEqual(['Normal Waiting 1', 'Normal CreatedExternalResource 1']),
    );
  });
});

test('the metrics that dashboards ask for are served', async () => {
  const page = await world.metrics();
  for (const name of [
    'controller_runtime_reconcile_total',
    'controller_runtime_reconcile_errors_total',
    'controller_runtime_terminal_reconcile_errors_total',
    'controller_runtime_reconcile_panics_total',
    'controller_runtime_reconcile_timeouts_total',
    'controller_runtime_reconcile_time_seconds_bucket',
    'controller_runtime_max_concurrent_reconciles',
    'controller_runtime_active_workers',
    'workqueue_depth',
    'workqueue_adds_total',
    'workqueue_queue_duration_seconds_bucket',
    'workqueue_work_duration_seconds_bucket',
    'workqueue_unfinished_work_seconds',
    'workqueue_longest_running_processor_seconds',
    'workqueue_retries_total',
    'rest_client_requests_total',
  ]) {
    expect(page).toContain(`\n${name}{`);
  }
});
