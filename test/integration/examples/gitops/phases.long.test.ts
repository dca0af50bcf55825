/**
 * Leads each kind through its phases on a real control plane and checks the result of Argo CD, Flux and kstatus for the
 * object as it is stored then. With RECORD=1 (`make record-objects`) those of one become the records of test/gitops.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { Managed } from '../../../../internal/framework/managed/resource/managed.ts';
import { eventually } from '../../../environment/eventually.ts';
import { type ArgoHealthChecks, argoHealthChecks } from '../../../gitops/argo-health.ts';
import { type FluxHealthChecks, fluxHealthChecks } from '../../../gitops/flux-health.ts';
import { kstatus } from '../../../gitops/kstatus.ts';
import { PHASES, type Phase, verdicts } from '../../../gitops/phases.ts';
import {
  asRecorded,
  RECORDED_KINDS,
  type RecordedKind,
  type RecordedObjects,
  readRecordedObjects,
  writeRecordedObjects,
} from '../../../gitops/recorded-objects.ts';
import type { ManagedObject } from '../../harness/mappings/managed-object.ts';
import { startTestEnvironment, type TestEnvironment } from '../../harness/test-environment.ts';
import { createLifecycle, type Lifecycle } from './lifecycles.ts';

const seen = Object.fromEntries(
  RECORDED_KINDS.map((kind) => [kind, {} as Partial<Record<Phase, Managed>>]),
) as Record<RecordedKind, Partial<Record<Phase, Managed>>>;

const forbidden = { kind: 'status', status: 403, body: { message: 'not today' } } as const;

let argo: ArgoHealthChecks;
let flux: FluxHealthChecks;
let environment: TestEnvironment;
beforeAll(async () => {
  [argo, flux] = await Promise.all([argoHealthChecks(), fluxHealthChecks()]);
  environment = await startTestEnvironment();
  const lives = await Promise.all(
    RECORDED_KINDS.map(async (kind) => ({ kind, lifecycle: await createLifecycle(environment, kind) })),
  );
  await environment.provider.stop();
  await Promise.all(
    lives.map(async ({ kind, lifecycle }) => {
      await lifecycle.create();
      await see(kind, 'no status yet', lifecycle, lifecycle.resource);
    }),
  );
  await environment.restartProvider();
  await Promise.all(lives.map(({ kind, lifecycle }) => becomeReady(kind, lifecycle)));
  await Promise.all(RECORDED_KINDS.flatMap((kind) => [seeCreating(kind), seeMissing(kind)]));

  await environment.provider.stop();
  await Promise.all(
    lives.map(async ({ kind, lifecycle }) => {
      await lifecycle.resource.patch({ spec: { forProvider: { isDefault: true } } });
      await see(kind, 'changed', lifecycle, lifecycle.resource);
      await lifecycle.resource.patch({ spec: { forProvider: { isDefault: false } } });
    }),
  );
  await environment.restartProvider();
  await Promise.all(lives.map(({ kind, lifecycle }) => failAndGo(kind, lifecycle)));
  if (process.env.RECORD === '1') {
    await writeRecordedObjects(inOrder(seen['kymainstancemapping-namespaced']));
  }
}, 10 * 60_000);
afterAll(() => environment.stop());

async function becomeReady(kind: RecordedKind, lifecycle: Lifecycle): Promise<void> {
  const { resource } = lifecycle;
  await resource.untilReason('Synced', 'Waiting');
  await see(kind, 'waiting', lifecycle, lifecycle.resource);
  await lifecycle.giveSources();
  await resource.untilReady();
  await see(kind, 'ready', lifecycle, lifecycle.resource);

  // Resources of one second are equally old, and their uids decide.
  await sleep(systemClock, 1000);
  const rival = await lifecycle.createRival();
  await rival.untilReason('Synced', 'Conflict');
  await see(kind, 'conflict', lifecycle, rival);
  await rival.delete();
  await rival.untilGone();
}

/** The mapping was just created, and lists do not show it yet. */
async function seeCreating(kind: RecordedKind): Promise<void> {
  const lifecycle = await createLifecycle(environment, kind);
  lifecycle.hana.fault({ route: 'list' }, { kind: 'status', status: 200, body: { mappings: [] } });
  await lifecycle.giveSources();
  await lifecycle.create();
  await lifecycle.resource.untilReason('Ready', 'Creating');
  await see(kind, 'creating', lifecycle, lifecycle.resource);
}

async function seeMissing(kind: RecordedKind): Promise<void> {
  const lifecycle = await createLifecycle(environment, kind);
  await lifecycle.giveSources();
  await lifecycle.create({ managementPolicies: ['Observe'] });
  await lifecycle.resource.untilReason('Ready', 'Unavailable');
  await see(kind, 'missing', lifecycle, lifecycle.resource);
}

async function failAndGo(kind: RecordedKind, lifecycle: Lifecycle): Promise<void> {
  const { resource, hana } = lifecycle;
  await untilSettled(lifecycle);
  await lifecycle.takeSource();
  await resource.reconcile();
  await resource.untilReason('Synced', 'Waiting');
  await see(kind, 'ready, source gone', lifecycle, lifecycle.resource);
  await lifecycle.giveSources();
  await untilSettled(lifecycle);

  const lists = hana.fault({ route: 'list' }, forbidden);
  await resource.reconcile();
  await resource.untilReason('Synced', 'ReconcileError');
  await see(kind, 'ready, unsynced', lifecycle, lifecycle.resource);
  lists.remove();
  await resource.reconcile();
  await untilSettled(lifecycle);

  await lifecycle.resource.patch({
    spec: { managementPolicies: ['Observe'], forProvider: { isDefault: true } },
  });
  await untilCondition(lifecycle, 'UpToDate', 'UpdateRestricted');
  await see(kind, 'left as it is', lifecycle, lifecycle.resource);
  await lifecycle.resource.patch({ spec: { managementPolicies: ['*'], forProvider: { isDefault: false } } });
  await untilSettled(lifecycle);

  const deletes = hana.fault({ route: 'delete' }, forbidden);
  await resource.annotate({ 'crossplane.io/paused': 'true' });
  await resource.untilReason('Synced', 'ReconcilePaused');
  await see(kind, 'paused', lifecycle, lifecycle.resource);
  await resource.delete();
  await see(kind, 'deleting, paused', lifecycle, lifecycle.resource);
  await resource.annotate({ 'crossplane.io/paused': null });
  await resource.untilReason('Synced', 'ReconcileError');
  await see(kind, 'deleting', lifecycle, lifecycle.resource);
  deletes.remove();
  // After a permanent refusal, only a request for a reconcile retries it.
  await resource.annotate({ 'crossplane.io/reconcile-requested-at': 'again' });
  await resource.untilGone(120_000);
}

async function untilCondition(lifecycle: Lifecycle, type: string, reason: string): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await lifecycle.resource.get();
    expect(status?.conditions?.find((condition) => condition.type === type)).toMatchObject({
      reason,
      observedGeneration: metadata.generation,
    });
  });
}

/** Ready and Synced for the spec as it is now. */
async function untilSettled(lifecycle: Lifecycle): Promise<void> {
  await untilCondition(lifecycle, 'Synced', 'ReconcileSuccess');
  await untilCondition(lifecycle, 'UpToDate', 'ObserveMatched');
  await lifecycle.resource.untilReady();
}

async function see(kind: RecordedKind, phase: Phase, { names }: Lifecycle, resource: ManagedObject<Managed>) {
  seen[kind][phase] = asRecorded(await resource.get(), { ...names, [resource.name]: 'orders' });
}

function inOrder(objects: Partial<Record<Phase, Managed>>): RecordedObjects {
  return Object.fromEntries(PHASES.map((phase) => [phase, objects[phase]]));
}

describe.each(RECORDED_KINDS)('%s', (kind) => {
  test.each(PHASES)(
    '%s: Argo CD, Flux and kstatus have the expected result for the stored object',
    async (phase) => {
      const object = seen[kind][phase];
      if (object === undefined) throw new Error('nothing was seen');
      expect({
        argo: (await argo.healthOf(object))?.status,
        flux: flux.statusOf(object),
        kstatus: kstatus(object),
      }).toEqual(verdicts[phase]);
    },
  );

  test('its records match stored objects; otherwise run `make record-objects`', async () => {
    const recorded = await readRecordedObjects(kind);
    expect(conditionTexts(recorded)).toEqual(conditionTexts(seen[kind]));
  });
});

const conditionTexts = (objects: RecordedObjects) =>
  PHASES.map((phase) => [
    phase,
    objects[phase]?.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
  ]);
