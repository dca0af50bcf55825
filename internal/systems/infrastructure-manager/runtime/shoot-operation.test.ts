/** Which operation of Gardener a Runtime waits for, and what it shows of it. */
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Shoot, seeds, shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { runtimeOf, SHOOT, worker } from './fixtures/runtime.fixture.ts';
import { type RuntimeHarness, startRuntimeHarness } from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => h?.stop());

const ready = async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  await h.create(runtimeOf());
  await h.wait();
  expect(h.stored()?.status?.state).toBe('Ready');
};

type Status = NonNullable<Shoot['status']>;
const key = () => ({ namespace: h.gardener.namespace, name: SHOOT });
const operation = (more: Partial<NonNullable<Status['lastOperation']>>) => ({
  ...{ description: 'd', lastUpdateTime: '2026-01-01T00:00:00Z', progress: 47 },
  ...{ state: 'Processing', type: 'Reconcile', ...more },
});
const gardenerReports = async (status: object) => {
  await h.gardener.client.otherProgram().mergePatch(shoots, key(), { status }, { subresource: 'status' });
  await h.wait(1000);
};
const statusWrites = () => h.client.requests.filter(({ subresource }) => subresource === 'status').length;

test('[N13] the operation and the errors of Gardener are in the status, its progress alone is not written', async () => {
  await ready();
  const lastOperation = operation({ state: 'Error' });
  const lastErrors = [{ description: 'no quota', codes: ['ERR_INFRA_QUOTA_EXCEEDED'], taskID: 't' }];
  await gardenerReports({ lastOperation, lastErrors });
  expect(h.stored()?.status).toMatchObject({
    state: 'Ready',
    shootLastOperation: lastOperation,
    shootLastErrors: lastErrors,
  });
  const before = statusWrites();
  await gardenerReports({ lastOperation: { ...lastOperation, progress: 48 } });
  expect(statusWrites()).toBe(before);
  await gardenerReports({
    lastOperation: operation({ state: 'Succeeded', progress: 100 }),
    lastErrors: null,
  });
  expect(h.stored()?.status).toMatchObject({ shootLastOperation: { state: 'Succeeded', progress: 100 } });
  expect(h.stored()?.status).not.toHaveProperty('shootLastErrors');
});

describe('a Ready Runtime', () => {
  test.each([
    [
      '[N18] whose Shoot has a generation that Gardener has not observed',
      { observedGeneration: 0, lastOperation: operation({ state: 'Succeeded' }) },
    ],
    ['[N19] whose Shoot Gardener reconciles', { lastOperation: operation({}) }],
    ['[N20] whose Shoot is quiet', { lastOperation: operation({ state: 'Succeeded' }) }],
  ])('%s stays Ready, and nothing is sent', async (_, status) => {
    await ready();
    const writes = () => h.gardener.client.requests.filter(({ verb }) => verb === 'update').length;
    const before = writes();
    await gardenerReports(status);
    await h.wait(600_000);
    expect([h.stored()?.status?.state, writes()]).toEqual(['Ready', before]);
  });

  test('[N17] that is suspended is not patched', async () => {
    await ready();
    const annotations = {
      'operator.kyma-project.io/suspend-patch-reconciliation': 'true',
      'operator.kyma-project.io/force-patch-reconciliation': 'true',
    };
    const generation = h.shoot()?.metadata.generation;
    await h.patch({ metadata: { annotations }, spec: { shoot: { purpose: 'testing' } } });
    await h.wait(600_000);
    expect(h.shoot()?.metadata.generation).toBe(generation);
  });
});

describe('a Failed Runtime', () => {
  const failed = operation({ type: 'Create', state: 'Failed' });
  const lastErrors = [{ description: 'refused', codes: ['ERR_INFRA_UNAUTHORIZED'] }];

  test('[N21] [N22] stays so while its Shoot is quiet, and is Ready after Gardener has created it', async () => {
    h = await startRuntimeHarness(startSimulatedGardener, { stageMs: 3_600_000 });
    await h.create(runtimeOf());
    await gardenerReports({ lastOperation: failed, lastErrors });
    expect(h.shown()).toMatch(/^Failed False CreationErr /);
    const before = statusWrites();
    await h.wait(600_000);
    expect(statusWrites()).toBe(before);
    await gardenerReports({ lastOperation: operation({ type: 'Create' }), lastErrors: null });
    expect(h.shown()).toBe('Pending Unknown Pending Shoot creation in progress');
    await h.wait(24 * 3_600_000);
    expect(h.stored()?.status?.state).toBe('Ready');
  });
});

test('[N23] a change that is done is Ready without a further reconcile', async () => {
  await ready();
  await h.patch({ spec: { shoot: { purpose: 'testing' } } });
  await h.wait(10_000);
  expect(h.shown()).toBe('Ready True ConfigurationCompleted Runtime processing completed successfully');
});

test('[N24] a create that Gardener refuses is Pending, and goes on when it is accepted or the Shoot is found', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const end = h.gardener.client.onRequest(({ verb, type, subresource }) => {
    if (verb === 'create' && type.kind === shoots.kind && subresource === undefined)
      throw apiError(422, 'Invalid', 'no such machine');
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(h.shown()).toMatch(/^Pending False GardenerErr Gardener API create error: .*no such machine/);
  end();
  await h.wait(300_000);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test.each([
  [
    'that cannot be listed',
    403,
    /^Pending False GardenerErr Failed to verify whether seed is available for the region eu-central-1: .*why$/,
  ],
  [
    'that are not there',
    undefined,
    /^Failed False SeedNotFound Cannot find available seed for the region nowhere\. /,
  ],
])('[N25] seeds %s', async (_, status, shown) => {
  h = await startRuntimeHarness(startSimulatedGardener, { auditLogMandatory: false });
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'list' && type.kind === seeds.kind && status !== undefined)
      throw apiError(status, 'Forbidden', 'why');
  });
  await h.create(
    runtimeOf({ enforceSeedLocation: true, ...(status === undefined ? { region: 'nowhere' } : {}) }),
  );
  await h.wait();
  expect(h.shown()).toMatch(shown);
});

test.each([
  ['[N30]', 409, 'Conflict', /^Pending Unknown Processing Shoot is pending for update after conflict error$/],
  [
    '[N31]',
    403,
    'Forbidden',
    /^Pending Unknown Processing Shoot is pending for update after forbidden error: /,
  ],
  ['[N32]', 401, 'Unauthorized', /^Failed False ProcessingErr Gardener API shoot update error: /],
] as const)('%s a patch that is answered by HTTP %i', async (_, status, reason, shown) => {
  await ready();
  const end = h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'update' && type.kind === shoots.kind) throw apiError(status, reason, 'why');
  });
  await h.patch({ spec: { shoot: { purpose: 'testing' } } });
  await h.wait(1000);
  expect(h.shown()).toMatch(shown);
  end();
  await h.wait(300_000);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('a forced patch without a difference is not Ready before Gardener has observed the change before it', async () => {
  await ready();
  h.gardener.gardenlet.stageMs = Number.POSITIVE_INFINITY;
  const observedGeneration = h.shoot()?.metadata.generation;
  await h.patch({ spec: { shoot: { purpose: 'testing' } } });
  await gardenerReports({ observedGeneration, lastOperation: operation({ state: 'Succeeded' }) });
  await h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/force-patch-reconciliation': 'true' } },
  });
  await h.wait(60_000);
  expect(h.stored()?.metadata.annotations).toBeUndefined();
  expect(h.stored()?.status?.state).toBe('Pending');
});

test('a refused correction of drift names five fields, and how many more there are', async () => {
  await ready();
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'update' && type.kind === shoots.kind) throw apiError(422, 'Invalid', 'why');
  });
  const theirs = worker({ minimum: 2, maximum: 9, volume: { type: 'gp3', size: '90Gi' } });
  await h.gardener.client
    .otherProgram()
    .mergePatch(shoots, key(), { spec: { purpose: 'testing', provider: { workers: [theirs] } } });
  await h.wait(60_000);
  const shown = h.shown('DriftCorrected') ?? '';
  expect(shown.match(/spec\.[\w.-]+/g)).toHaveLength(5);
  expect(shown).toContain(', 1 more: ');
});

test('[N12] a Runtime without an ID is refused with the name of the label, and can be deleted', async () => {
  await ready();
  await h.patch({ metadata: { labels: { 'kyma-project.io/runtime-id': null } } });
  await h.wait(60_000);
  expect(h.shown('KubeconfigReady')).toBe(
    'Failed False KubernetesErr missing required label kyma-project.io/runtime-id',
  );
  await h.delete();
  await h.wait(300_000);
  expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
});
