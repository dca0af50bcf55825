/**
 * Leads each kind through its phases on a real control plane and holds what Argo CD, Flux and kstatus say of the object
 * as it is stored then. With RECORD=1 (`make record-objects`) the objects become the records of test/gitops.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sleep, systemClock } from '../../../../internal/base/time/clock.ts';
import type { Managed } from '../../../../internal/runtime/resource/managed.ts';
import { eventually } from '../../../environment/eventually.ts';
import { argoHealthChecks } from '../../../gitops/argo-health.ts';
import { fluxHealthChecks } from '../../../gitops/flux-health.ts';
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
import { startWorld, type World } from '../../harness/test-environment.ts';
import { type Life, newLife } from './lifecycles.ts';

const seen = Object.fromEntries(
  RECORDED_KINDS.map((kind) => [kind, {} as Partial<Record<Phase, Managed>>]),
) as Record<RecordedKind, Partial<Record<Phase, Managed>>>;

const forbidden = { kind: 'status', status: 403, body: { message: 'not today' } } as const;

let world: World;
beforeAll(async () => {
  world = await startWorld();
  const lives = await Promise.all(
    RECORDED_KINDS.map(async (kind) => ({ kind, life: await newLife(world, kind) })),
  );
  await world.provider.stop();
  await Promise.all(
    lives.map(async ({ kind, life }) => {
      await life.create();
      await see(kind, 'no status yet', life, life.resource);
    }),
  );
  await world.restartProvider();
  await Promise.all(lives.map(({ kind, life }) => becomeReady(kind, life)));
  await Promise.all(RECORDED_KINDS.flatMap((kind) => [seeCreating(kind), seeMissing(kind)]));

  await world.provider.stop();
  await Promise.all(
    lives.map(async ({ kind, life }) => {
      await life.resource.patch({ spec: { forProvider: { isDefault: true } } });
      await see(kind, 'changed', life, life.resource);
      await life.resource.patch({ spec: { forProvider: { isDefault: false } } });
    }),
  );
  await world.restartProvider();
  await Promise.all(lives.map(({ kind, life }) => failAndGo(kind, life)));
  if (process.env.RECORD === '1') {
    for (const kind of RECORDED_KINDS) await writeRecordedObjects(kind, inOrder(seen[kind]));
  }
}, 10 * 60_000);
afterAll(() => world.stop());

async function becomeReady(kind: RecordedKind, life: Life): Promise<void> {
  const { resource } = life;
  await resource.untilReason('Synced', 'Waiting');
  await see(kind, 'waiting', life, life.resource);
  await life.giveSources();
  await resource.untilReady();
  await see(kind, 'ready', life, life.resource);

  // Resources of one second are equally old, and their uids decide.
  await sleep(systemClock, 1000);
  const rival = await life.createRival();
  await rival.untilReason('Synced', 'Conflict');
  await see(kind, 'conflict', life, rival);
  await rival.delete();
  await rival.untilGone();
}

/** The mapping was made a moment ago, and lists do not show it yet. */
async function seeCreating(kind: RecordedKind): Promise<void> {
  const life = await newLife(world, kind);
  life.hana.fault({ route: 'list' }, { kind: 'status', status: 200, body: { mappings: [] } });
  await life.giveSources();
  await life.create();
  await life.resource.untilReason('Ready', 'Creating');
  await see(kind, 'creating', life, life.resource);
}

async function seeMissing(kind: RecordedKind): Promise<void> {
  const life = await newLife(world, kind);
  await life.giveSources();
  await life.create({ managementPolicies: ['Observe'] });
  await life.resource.untilReason('Ready', 'Unavailable');
  await see(kind, 'missing', life, life.resource);
}

async function failAndGo(kind: RecordedKind, life: Life): Promise<void> {
  const { resource, hana } = life;
  await untilSettled(life);
  await life.takeSource();
  await resource.reconcile();
  await resource.untilReason('Synced', 'Waiting');
  await see(kind, 'ready, source gone', life, life.resource);
  await life.giveSources();
  await untilSettled(life);

  const lists = hana.fault({ route: 'list' }, forbidden);
  await resource.reconcile();
  await resource.untilReason('Synced', 'ReconcileError');
  await see(kind, 'ready, unsynced', life, life.resource);
  lists.remove();
  await resource.reconcile();
  await untilSettled(life);

  await life.resource.patch({ spec: { managementPolicies: ['Observe'], forProvider: { isDefault: true } } });
  await untilCondition(life, 'UpToDate', 'UpdateRestricted');
  await see(kind, 'left as it is', life, life.resource);
  await life.resource.patch({ spec: { managementPolicies: ['*'], forProvider: { isDefault: false } } });
  await untilSettled(life);

  const deletes = hana.fault({ route: 'delete' }, forbidden);
  await resource.annotate({ 'crossplane.io/paused': 'true' });
  await resource.untilReason('Synced', 'ReconcilePaused');
  await see(kind, 'paused', life, life.resource);
  await resource.delete();
  await see(kind, 'deleting, paused', life, life.resource);
  await resource.annotate({ 'crossplane.io/paused': null });
  await resource.untilReason('Synced', 'ReconcileError');
  await see(kind, 'deleting', life, life.resource);
  deletes.remove();
  // Refused for good, it is tried again when somebody asks.
  await resource.annotate({ 'crossplane.io/reconcile-requested-at': 'again' });
  await resource.untilGone(120_000);
}

async function untilCondition(life: Life, type: string, reason: string): Promise<void> {
  await eventually(async () => {
    const { metadata, status } = await life.resource.get();
    expect(status?.conditions?.find((condition) => condition.type === type)).toMatchObject({
      reason,
      observedGeneration: metadata.generation,
    });
  });
}

/** Ready and Synced for the spec as it is now. */
async function untilSettled(life: Life): Promise<void> {
  await untilCondition(life, 'Synced', 'ReconcileSuccess');
  await untilCondition(life, 'UpToDate', 'ObserveMatched');
  await life.resource.untilReady();
}

async function see(kind: RecordedKind, phase: Phase, { names }: Life, resource: ManagedObject<Managed>) {
  seen[kind][phase] = asRecorded(await resource.get(), { ...names, [resource.name]: 'orders' });
}

function inOrder(objects: Partial<Record<Phase, Managed>>): RecordedObjects {
  return Object.fromEntries(PHASES.map((phase) => [phase, objects[phase]]));
}

describe.each(RECORDED_KINDS)('%s', (kind) => {
  test.each(PHASES)(
    '%s: Argo CD, Flux and kstatus say what they should of the living object',
    async (phase) => {
      const object = seen[kind][phase];
      if (object === undefined) throw new Error('nothing was seen');
      const [argo, flux] = [await argoHealthChecks(), await fluxHealthChecks()];
      expect({
        argo: (await argo.healthOf(object))?.status,
        flux: flux.statusOf(object),
        kstatus: kstatus(object),
      }).toEqual(verdicts[phase]);
    },
  );

  test('its records say what living objects say; else `make record-objects` takes them anew', async () => {
    const recorded = await readRecordedObjects(kind);
    expect(sayings(recorded)).toEqual(sayings(seen[kind]));
  });
});

const sayings = (objects: RecordedObjects) =>
  PHASES.map((phase) => [
    phase,
    objects[phase]?.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
  ]);
