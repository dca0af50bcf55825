import '../harness/timeout.ts';
import { describe, expect, test } from '@jest/globals';
import { WaitingError } from '../../../internal/framework/base/errors/errors.ts';
import { managedFinalizer } from '../../../internal/framework/controller/reconcile/finalizer.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { uniqueName } from '../harness/control-planes/control-planes.ts';
import { forFile } from '../harness/for-file.ts';
import { startThingEnvironment } from './thing-environment.ts';

const environment = forFile(startThingEnvironment);

const conditionOf = async (name: string, type: string) =>
  (await environment.find(name))?.status?.conditions?.find((condition) => condition.type === type);
const untilReady = (name: string) =>
  eventually(async () => {
    expect(await conditionOf(name, 'Synced')).toMatchObject({ status: 'True', reason: 'ReconcileSuccess' });
    expect(await conditionOf(name, 'Ready')).toMatchObject({ status: 'True', reason: 'Available' });
  });
const patch = (name: string, content: object) =>
  environment.objects.patch(environment.type, { name, namespace: environment.namespace }, content);

describe('a managed resource on a real API server', () => {
  test('is ready in its first reconcile, by one write, one status and one event', async () => {
    const name = uniqueName('new');
    await environment.create(name);
    await untilReady(name);
    const thing = await environment.find(name);
    expect(thing?.metadata.finalizers).toEqual([managedFinalizer]);
    expect(thing?.metadata.annotations).toMatchObject({
      'crossplane.io/external-name': name,
      'crossplane.io/external-create-intent': `${thing?.metadata.uid} ${name}`,
    });
    expect(thing?.status?.atProvider).toEqual({ size: 1 });
    expect(await environment.writesTo(name)).toEqual(['update', 'update status']);
    await eventually(async () =>
      expect(await environment.eventsOf(name)).toEqual(['Normal CreatedExternalResource 1']),
    );
  });

  test('is not written again by a reconcile that finds it settled', async () => {
    const name = uniqueName('settled');
    await environment.create(name);
    await untilReady(name);
    const before = await environment.find(name);
    await patch(name, { metadata: { annotations: { 'crossplane.io/reconcile-requested-at': 'now' } } });
    await eventually(async () =>
      expect((await environment.find(name))?.status?.lastHandledReconcileAt).toBe('now'),
    );
    await patch(name, { metadata: { labels: { touched: 'yes' } } });
    const touched = await eventually(async () => {
      const writes = await environment.writesTo(name);
      expect(writes).toEqual(['update', 'update status', 'update status']);
      return environment.find(name);
    });
    expect(touched?.status?.conditions).toEqual(before?.status?.conditions);
  });

  test('follows its spec, and its fields that no code knows survive', async () => {
    const name = uniqueName('changed');
    await environment.create(name, { forProvider: { size: 1, colour: 'red' } });
    await untilReady(name);
    await patch(name, { spec: { forProvider: { size: 2 } } });
    await eventually(() => expect(environment.external.things.get(name)).toEqual({ size: 2 }));
    expect((await environment.find(name))?.spec.forProvider.colour).toBe('red');
  });

  test('is deleted after its external resource, and owns its connection Secret, so that it is deleted too', async () => {
    const name = uniqueName('gone');
    const key = { name: `${name}-conn`, namespace: environment.namespace };
    await environment.create(name, { writeConnectionSecretToRef: { name: key.name } });
    await untilReady(name);
    const secret = await environment.objects.get(secrets, key);
    const uid = (await environment.find(name))?.metadata.uid;
    expect(secret).toMatchObject({
      type: 'connection.crossplane.io/v1alpha1',
      metadata: {
        ownerReferences: [{ kind: 'Thing', name, uid, controller: true, blockOwnerDeletion: true }],
      },
      data: { size: Buffer.from('1').toString('base64') },
    });
    await environment.objects.delete(environment.type, { name, namespace: environment.namespace });
    await eventually(async () => expect(await environment.find(name)).toBeUndefined());
    expect(environment.external.things.has(name)).toBe(false);
  });

  test('is deleted by foreground deletion, whose finalizer stays beside ours', async () => {
    const name = uniqueName('foreground');
    await environment.create(name, { writeConnectionSecretToRef: { name: `${name}-conn` } });
    await untilReady(name);
    await environment.objects.delete(
      environment.type,
      { name, namespace: environment.namespace },
      'Foreground',
    );
    await eventually(() => expect(environment.external.things.has(name)).toBe(false));
    // The rest is the garbage collector's, which discovers new kinds every half minute only.
    await eventually(async () =>
      expect((await environment.find(name))?.metadata.finalizers ?? []).not.toContain(managedFinalizer),
    );
  });

  test('waits for other finalizers and goes on as soon as the last one is removed', async () => {
    const name = uniqueName('held');
    await environment.create(name);
    await untilReady(name);
    await patch(name, { metadata: { finalizers: [managedFinalizer, 'other.example.org/hold'] } });
    await environment.objects.delete(environment.type, { name, namespace: environment.namespace });
    await eventually(async () =>
      expect((await environment.find(name))?.metadata.deletionTimestamp).toBeDefined(),
    );
    expect(environment.external.things.has(name)).toBe(true);
    await patch(name, { metadata: { finalizers: [managedFinalizer] } });
    await eventually(async () => expect(await environment.find(name)).toBeUndefined());
    expect(environment.external.things.has(name)).toBe(false);
  });

  test('is not reconciled while it is paused and goes on afterwards', async () => {
    const name = uniqueName('paused');
    await environment.create(name, { managementPolicies: [] });
    await eventually(async () =>
      expect(await conditionOf(name, 'Synced')).toMatchObject({ status: 'False', reason: 'ReconcilePaused' }),
    );
    expect(environment.external.things.has(name)).toBe(false);
    await patch(name, { spec: { managementPolicies: ['*'] } });
    await untilReady(name);
  });

  test('waits without a failure, is deleted immediately, and reconciles when the watched object changes', async () => {
    const [name, other] = [uniqueName('waiting'), uniqueName('given-up')];
    environment.external.problem = () =>
      new WaitingError('the signal has not come', { targets: [environment.signal] });
    try {
      await environment.create(name);
      await environment.create(other);
      await eventually(async () => {
        for (const each of [name, other]) {
          expect(await conditionOf(each, 'Synced')).toMatchObject({
            status: 'False',
            reason: 'Waiting',
            message: 'the signal has not come',
          });
        }
      });
      await environment.objects.delete(environment.type, { name: other, namespace: environment.namespace });
      expect(await environment.find(other)).toBeUndefined();
    } finally {
      environment.external.problem = undefined;
    }
    environment.signal.change();
    await untilReady(name);
    await eventually(async () =>
      expect(await environment.eventsOf(name)).toEqual([
        'Normal Waiting 1',
        'Normal CreatedExternalResource 1',
      ]),
    );
  });
});

test('the metrics that dashboards use are served', async () => {
  const page = await environment.metrics();
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
