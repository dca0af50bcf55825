import { afterEach, expect, test } from '@jest/globals';
import { type Shoot, shoots } from '../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import { outcomes } from '../../../../test/simulators/gardener/gardenlet/stages.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/index.ts';
import { configurationOf } from '../rendering/fixtures/rendering.fixture.ts';
import { createShootRendering, type ShootRendering } from '../rendering/shoot-rendering.ts';
import { createdRuntime, stopWithoutErrors } from './fixtures/created-runtime.fixture.ts';
import { NAMESPACE, runtimeOf, SHOOT, worker } from './fixtures/runtime.fixture.ts';
import {
  type RuntimeHarness,
  type RuntimeHarnessOptions,
  startRuntimeHarness,
} from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => stopWithoutErrors(h));

/** A harness with a Runtime; some time has passed. */
async function created(options: RuntimeHarnessOptions = {}, ms = 5000): Promise<void> {
  h = await createdRuntime(startSimulatedGardener, { ...options, ms });
}

/** Statuses until a new Runtime is Ready. */
const CREATION = 3;

const shootRequests = () =>
  h.gardener.client.requests
    .filter(({ type, subresource }) => type.kind === 'Shoot' && subresource === undefined)
    .map(({ verb }) => verb);
const writes = () =>
  [...h.client.requests, ...h.gardener.client.requests].filter(
    ({ verb }) => !['get', 'list', 'watch'].includes(verb),
  ).length;

/** What controllers sent to the control plane for objects, events not counted. */
const ofControlPlane = () =>
  h.client.requests
    .filter(({ verb }) => !['list', 'watch'].includes(verb))
    .map(({ verb, type, subresource = '' }) => `${verb} ${type.kind} ${subresource}`.trimEnd());

test('a Runtime becomes a Shoot by seven requests to the control plane and one event; waits of moments are not stored', async () => {
  await created();
  expect(h.shown()).toBe('Ready True ShootCreationCompleted Shoot creation completed');
  expect(h.statuses()).toEqual([
    'Pending Provisioned=Unknown Initialised',
    'Pending KubeconfigReady=True GardenerClusterCRReady',
    'Ready Configured=True AdministratorsConfigured',
  ]);
  const texts = [
    'Shoot creation completed; Gardener Cluster CR is ready.; Creation of kyma-system Namespace; OIDC and kyma-provisioning-info configuration completed; Cluster admin configuration completed',
  ];
  expect(h.recorder.events.map(({ message }) => message)).toEqual(
    texts.map((text) => `${text}: kcp-system/runtime-1`),
  );
  expect(h.stored()?.status?.provisioningCompleted).toBe(true);
  expect(h.shoot()?.status?.lastOperation).toMatchObject({ type: 'Create', state: 'Succeeded' });
  expect(shootRequests().filter((verb) => verb === 'create')).toHaveLength(1);
  // Nothing is read: the status before the create is refused unless it is of the newest version.
  expect(ofControlPlane()).toEqual([
    'update Runtime',
    'update Runtime status',
    'create GardenerCluster',
    'create Secret',
    'update GardenerCluster status',
    'update Runtime status',
    'update Runtime status',
  ]);
});

test('a creation that takes its time is shown while it lasts, as an event too', async () => {
  await created({ stageMs: 60_000 }, 30_000);
  expect(h.shown()).toBe('Pending Unknown Pending Shoot is pending');
  await h.wait(600_000);
  expect(h.statuses()).toEqual([
    'Pending Provisioned=Unknown Initialised',
    // Again with each stage: what Gardener does is in the status.
    'Pending Provisioned=Unknown Pending',
    'Pending Provisioned=Unknown Pending',
    'Pending Provisioned=Unknown Pending',
    'Pending KubeconfigReady=True GardenerClusterCRReady',
    'Ready Configured=True AdministratorsConfigured',
  ]);
  expect(h.recorder.events.map(({ reason }) => reason)).toEqual(['Pending', 'AdministratorsConfigured']);
});

test('a Shoot that the watch of a busy Gardener does not show yet is asked for once, and after a while again', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const release = h.gardener.client.holdWatches();
  await h.create(runtimeOf());
  await h.wait(10_000);
  const touch = (value: string) => h.patch({ metadata: { labels: { value } } });
  for (const value of ['a', 'b', 'c']) await touch(value);
  const reads = () => shootRequests().filter((verb) => verb === 'get').length;
  expect(reads()).toBe(1);
  await h.wait(30_000);
  await touch('d');
  expect(reads()).toBeGreaterThan(1);
  release();
  await h.wait();
  expect(h.shown()).toBe('Ready True ShootCreationCompleted Shoot creation completed');
});

test('at rest nothing is written, also after a restart', async () => {
  await created();
  const before = writes();
  await h.wait(600_000);
  await h.restart();
  await h.wait(600_000);
  expect(writes()).toBe(before);
});

test('a changed Runtime is patched, and completed when Gardener has observed the change', async () => {
  await created();
  await h.patch({ spec: { shoot: { provider: { workers: [worker({ maximum: 5 })] } } } });
  await h.wait();
  expect(h.shoot()?.spec?.provider.workers).toMatchObject([{ maximum: 5 }]);
  expect(h.shown()).toBe('Ready True ConfigurationCompleted Runtime processing completed successfully');
  expect(h.statuses().slice(CREATION)).toEqual([
    'Pending Provisioned=Unknown Processing',
    'Ready Provisioned=True ConfigurationCompleted',
  ]);
});

test('a Succeeded of the generation before is not taken for the result of the patch', async () => {
  await created();
  h.gardener.gardenlet.stageMs = Number.POSITIVE_INFINITY;
  await h.patch({ spec: { shoot: { provider: { workers: [worker({ maximum: 5 })] } } } });
  await h.wait(300_000);
  expect(h.shoot()?.status?.lastOperation?.state).toBe('Succeeded');
  expect(h.shown()).toBe('Pending Unknown Processing Shoot is pending for update after patch');
});

test('[I10.5] a create whose response is lost leaves one Shoot, and no Failed', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let lost = 0;
  const end = h.gardener.client.onRequest(async (request) => {
    if (request.verb !== 'create' || request.type.kind !== 'Shoot' || lost++ > 0) return;
    await h.gardener.client.otherProgram().create(shoots, request.body as never);
    throw apiError(504, 'Timeout');
  });
  await h.create(runtimeOf());
  await h.wait(30_000);
  end();
  expect(lost).toBeGreaterThan(0);
  expect(h.shown()).toBe('Ready True ShootCreationCompleted Shoot creation completed');
  expect(h.statuses().filter((status) => status.startsWith('Failed'))).toEqual([]);
});

test.each([429, 500, 503])('[I10.5] HTTP %s on the create never ends in Failed', async (status) => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let left = 4;
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === 'Shoot' && left-- > 0) throw apiError(status, 'Refused');
  });
  await h.create(runtimeOf());
  await h.wait(120_000);
  expect(left).toBeLessThan(0);
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
  expect(h.statuses().filter((each) => each.startsWith('Failed'))).toEqual([]);
});

test('a create that Gardener refuses shows its text, and is tried again', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let left = 2;
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === 'Shoot' && left-- > 0)
      throw apiError(422, 'Invalid', 'no such machine type');
  });
  await h.create(runtimeOf());
  expect(h.shown()).toMatch(/^Pending False GardenerErr Gardener API create error: .*no such machine type/);
  await h.wait(60_000);
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
});

test('[I10.1] drift is put right, unless patches are suspended', async () => {
  await created();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const others = h.gardener.client.otherProgram();
  await others.mergePatch(shoots, key, { spec: { purpose: 'evaluation' } });
  await h.wait();
  expect(h.shoot()?.spec?.purpose).toBe('development');
  await h.patch({
    metadata: { annotations: { 'operator.kyma-project.io/suspend-patch-reconciliation': 'true' } },
  });
  await others.mergePatch(shoots, key, { spec: { purpose: 'evaluation' } });
  await h.wait(600_000);
  expect(h.shoot()?.spec?.purpose).toBe('evaluation');
});

test('the annotation that forces a patch is removed after it, others stay', async () => {
  await created();
  const before = shootRequests().filter((verb) => verb === 'update').length;
  await h.patch({
    metadata: {
      annotations: {
        'operator.kyma-project.io/force-patch-reconciliation': 'true',
        'operator.kyma-project.io/existing-annotation': 'true',
      },
    },
  });
  await h.wait();
  expect(h.stored()?.metadata.annotations).toEqual({
    'operator.kyma-project.io/existing-annotation': 'true',
  });
  expect(shootRequests().filter((verb) => verb === 'update')).toHaveLength(before + 1);
  expect(h.shown()).toBe('Ready True Processing Shoot patched without changes');
});

test.each([
  ['', runtimeOf()],
  [
    ', although Gardener has other forms of its values',
    runtimeOf({
      provider: {
        type: 'aws',
        workers: [worker({ machineControllerManager: { machineDrainTimeout: '120m' } })],
      },
    }),
  ],
])(
  '[I10.1] a Shoot that fails later is shown with all codes, and so is its recovery%s',
  async (_title, runtime) => {
    h = await startRuntimeHarness(startSimulatedGardener);
    await h.create(runtime);
    await h.wait(60_000);
    const codes = ['ERR_CONFIGURATION_PROBLEM', 'ERR_INFRA_UNAUTHENTICATED'];
    const errors = codes.map((code) => ({ description: `why ${code}`, codes: [code] }));
    h.gardener.gardenlet.rules.add({
      on: { operation: 'Reconcile', first: 1 },
      stages: [{ state: 'Processing' }, { state: 'Failed', errors }],
    });
    await h.gardener.gardenlet.begin(SHOOT);
    await h.wait();
    const failed = () => [h.shown(), h.shown('ShootOperationSucceeded')];
    const shown = [
      'Failed False ProcessingErr ERR_CONFIGURATION_PROBLEM, ERR_INFRA_UNAUTHENTICATED',
      'Failed False ShootErrors Gardener reports errors of the Shoot: Reconcile Failed: ERR_CONFIGURATION_PROBLEM, ERR_INFRA_UNAUTHENTICATED: 1) why ERR_CONFIGURATION_PROBLEM 2) why ERR_INFRA_UNAUTHENTICATED',
    ];
    expect(failed()).toEqual(shown);
    await h.wait(600_000);
    expect(failed()).toEqual(shown);
    await h.gardener.gardenlet.begin(SHOOT);
    await h.wait();
    expect(failed()).toEqual([
      'Ready True ConfigurationCompleted Runtime processing completed successfully',
      undefined,
    ]);
  },
);

test('10 MB of errors of a Shoot are a condition of bounded length, and the next change is sent', async () => {
  await created();
  const error = { description: 'e'.repeat(100_000), codes: Array(50).fill(`ERR_${'c'.repeat(1000)}`) };
  const lastErrors = [{ ...error, codes: ['ERR_INFRA_UNAUTHENTICATED'] }, ...Array(65).fill(error)];
  const lastOperation = { ...h.shoot()?.status?.lastOperation, type: 'Reconcile', state: 'Failed' };
  expect(JSON.stringify(lastErrors).length).toBeGreaterThan(9_000_000);
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const others = h.gardener.client.otherProgram();
  const status = { lastOperation: { ...lastOperation, description: 'd'.repeat(1_000_000) }, lastErrors };
  await others.mergePatch(shoots, key, { status }, { subresource: 'status' });
  await h.wait();
  expect(h.shown()).toMatch(/^Failed False ProcessingErr ERR_INFRA_UNAUTHENTICATED, /);
  expect(h.shown()?.length).toBeLessThan(5000);
  await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
  await h.wait();
  expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
});

test('a reconcile that Gardener began itself leaves a Ready Runtime Ready', async () => {
  await created();
  const status = { ...h.stored()?.status, state: 'Ready', provisioningCompleted: true };
  await h.patchStatus(status);
  const before = writes();
  h.gardener.gardenlet.rules.add({
    on: { operation: 'Reconcile' },
    stages: outcomes.error('ERR_INFRA_DEPENDENCIES'),
  });
  await h.gardener.gardenlet.begin(SHOOT);
  await h.wait(60_000);
  expect(h.shoot()?.status?.lastOperation?.state).toBe('Error');
  const { shootLastOperation: _, shootLastErrors: __, ...kept } = h.stored()?.status ?? {};
  const { shootLastOperation: ___, ...expected } = status;
  expect(kept).toEqual(expected);
  // What Gardener does, when it begins and when it fails.
  expect(writes()).toBeLessThanOrEqual(before + 2);
});

test('a deleted Runtime goes when its GardenerCluster and its Shoot are gone', async () => {
  await created();
  const cluster = () => h.client.peek(gardenerClusters, { namespace: NAMESPACE, name: 'runtime-1' });
  expect(cluster()?.spec.shoot.name).toBe(SHOOT);
  await h.delete();
  await h.wait(30_000);
  expect(cluster()).toBeUndefined();
  expect(h.client.peekAll(secrets)).toEqual([]);
  expect(h.shoot()).toBeUndefined();
  expect(h.stored()).toBeUndefined();
  expect(h.statuses().slice(CREATION)).toEqual([
    'Terminating Deprovisioned=Unknown GardenerClusterCRDeleted',
    'Terminating Deprovisioned=True GardenerClusterCRDeleted',
    // What Gardener does is in the status.
    'Terminating Deprovisioned=Unknown GardenerShootDeleted',
    'Terminating Deprovisioned=Unknown GardenerShootDeleted',
    'Terminating Deprovisioned=Unknown GardenerShootDeleted',
  ]);
});

test('[I10.9] a Shoot that others deleted while its Runtime is deleted too lets the Runtime go', async () => {
  await created();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const others = h.gardener.client.otherProgram();
  await others.mergePatch(shoots, key, {
    metadata: { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } },
  });
  await others.delete(shoots, key);
  await h.delete();
  await h.wait(60_000);
  expect(h.stored()).toBeUndefined();
});

test('a Runtime that is deleted while its Shoot is being created leaves no Shoot', async () => {
  await created({ stageMs: 60_000 });
  expect(h.shown()).toMatch(/^Pending Unknown Pending/);
  await h.delete();
  await h.wait(600_000);
  expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
});

test('[I10.1] a Shoot that others deleted is created again', async () => {
  await created();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const others = h.gardener.client.otherProgram();
  await others.mergePatch(shoots, key, {
    metadata: { annotations: { 'confirmation.gardener.cloud/deletion': 'true' } },
  });
  const before = h.shoot()?.metadata.uid;
  await others.delete(shoots, key);
  await h.wait(120_000);
  expect(h.shoot()?.metadata.uid).not.toBe(before);
  expect(h.shown()).toBe('Ready True ShootCreationCompleted Shoot creation completed');
});

test('a create that is refused because an earlier one took effect is no failure', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let left = 1;
  h.gardener.client.onRequest(async ({ verb, type, body }) => {
    if (verb === 'create' && type.kind === 'Shoot' && left-- > 0)
      await h.gardener.client.otherProgram().create(shoots, body as Shoot);
  });
  await h.create(runtimeOf());
  await h.wait();
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
  expect(h.statuses().filter((status) => status.startsWith('Failed'))).toEqual([]);
});

test('a deleted Runtime whose create may still take effect stays until it cannot, and leaves no Shoot', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let body: unknown;
  h.gardener.client.onRequest((request) => {
    if (request.verb !== 'create' || request.type.kind !== 'Shoot') return;
    body = request.body;
    throw apiError(504, 'Timeout');
  });
  await h.create(runtimeOf());
  await h.delete();
  await h.wait(30_000);
  expect(h.stored()).toBeDefined();
  await h.gardener.client.otherProgram().create(shoots, body as Shoot);
  await h.wait(120_000);
  expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
});

test('[I10.7] a Shoot that was just patched is not patched again while the watch is behind', async () => {
  await created();
  const release = h.gardener.client.holdWatches();
  await h.patch({ spec: { shoot: { purpose: 'evaluation' } } });
  await h.patch({ metadata: { labels: { other: 'label' } } });
  await h.wait();
  expect(shootRequests().filter((verb) => verb === 'update')).toHaveLength(1);
  release();
  await h.wait();
  expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
});

test('drift is put right at most once a minute, and is not forgotten', async () => {
  await created();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const drift = async () => {
    await h.gardener.client.otherProgram().mergePatch(shoots, key, { spec: { purpose: 'evaluation' } });
    await h.wait();
  };
  await drift();
  expect(h.shoot()?.spec?.purpose).toBe('development');
  await drift();
  expect(h.shoot()?.spec?.purpose).toBe('evaluation');
  await h.wait(60_000);
  expect(h.shoot()?.spec?.purpose).toBe('development');
});

test('[I10.8] Shoots that a changed configuration concerns are patched within a minute, others are not', async () => {
  let listener: () => void = () => undefined;
  let revision = 0;
  const at = (upgrades: boolean) =>
    createShootRendering(
      configurationOf({
        kubernetes: {
          ...configurationOf().converter.kubernetes,
          enableKubernetesVersionAutoUpdate: upgrades,
        },
      }),
    );
  const renderings = [at(true), at(false)];
  const now = () => renderings[revision] ?? at(true);
  const rendering: ShootRendering = {
    ...at(true),
    patch: (...args) => now().patch(...args),
    create: (...args) => now().create(...args),
    revision: () => revision,
  };
  const onConfigurationChange = (called: () => void) => {
    listener = called;
    return () => undefined;
  };
  await created({ rendering, onConfigurationChange });
  const before = writes();
  listener();
  await h.wait();
  expect(writes()).toBe(before);
  revision = 1;
  listener();
  await h.wait(60_000);
  expect(h.shoot()?.spec?.maintenance?.autoUpdate?.kubernetesVersion).toBe(false);
  expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
});
