/** The acceptance scenarios of the states, by their numbers (test/scenarios.test.ts). */

import { afterEach, expect, test } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import {
  type Runtime,
  runtimes,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { configMaps } from '../../../framework/kube/index.ts';
import { annotationForcePatch, annotationSuspendPatch, finalizer } from '../metadata.ts';
import { createdRuntime, stopWithoutErrors } from './fixtures/created-runtime.fixture.ts';
import { renderingOf, runtimeOf, SHOOT, worker } from './fixtures/runtime.fixture.ts';
import {
  type RuntimeHarness,
  type RuntimeHarnessOptions,
  startRuntimeHarness,
} from './fixtures/runtime-harness.fixture.ts';

let h: RuntimeHarness<SimulatedGardener>;
afterEach(() => stopWithoutErrors(h));

const EXISTING = { 'operator.kyma-project.io/existing-annotation': 'true' };

/** A Runtime with an annotation of others, whose Shoot is created. */
async function completed(options: RuntimeHarnessOptions = {}): Promise<void> {
  const runtime = runtimeOf({}, { annotations: EXISTING });
  h = await createdRuntime(startSimulatedGardener, { ...options, runtime });
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
}

async function deleting(finalizers: string[]): Promise<void> {
  h = await startRuntimeHarness(startSimulatedGardener);
  h.client.seed(runtimes, runtimeOf({}, { finalizers, deletionTimestamp: '2024-01-01T00:00:00Z' }));
  await h.wait();
}

/** Refuses writes of Shoots by one verb from now on. */
const refusing = (verb: string, status: number, reason: string, message: string) =>
  h.gardener.client.onRequest((request) => {
    if (request.verb === verb && request.type.kind === 'Shoot') throw apiError(status, reason, message);
  });

const requests = (wanted: string) =>
  h.gardener.client.requests.filter(
    ({ verb, type, subresource }) => verb === wanted && type.kind === 'Shoot' && subresource === undefined,
  ).length;

const moreNodes = { spec: { shoot: { provider: { workers: [worker({ maximum: 5 })] } } } };
/** No difference between worker pools. */
const otherPurpose = { spec: { shoot: { purpose: 'evaluation' } } };

test('[I1] a deleted Runtime that others keep, without a Shoot, is an unexpected stop', async () => {
  await deleting(['others']);
  expect(h.unexpectedStops).toBe(1);
  expect(h.stored()?.metadata.finalizers).toEqual(['others']);
  const text = 'the deletion waits for other controllers, which must remove the finalizer others';
  expect(h.stored()?.status).toMatchObject({
    state: 'Terminating',
    conditions: [{ type: 'Deprovisioned', status: 'Unknown', reason: 'WaitingForFinalizers', message: text }],
  });
  expect(h.recorder.lines()).toEqual([`Normal Waiting: ${text}`]);
});

test('[I2] a deleted Runtime without a Shoot goes, also if its finalizer cannot be removed at once', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  let left = 1;
  h.client.onRequest(({ verb }) => {
    if (verb === 'update' && left-- > 0) throw apiError(500, 'InternalError');
  });
  h.client.seed(
    runtimes,
    runtimeOf({}, { finalizers: [finalizer], deletionTimestamp: '2024-01-01T00:00:00Z' }),
  );
  await h.wait(30_000);
  expect([left < 0, h.stored()]).toEqual([true, undefined]);
});

test('[I3] [I32] a deleted Runtime with a Shoot has its deletion confirmed, and others annotations stay', async () => {
  await completed();
  h.gardener.gardenlet.stageMs = 60_000;
  await h.delete();
  expect(h.shown('Deprovisioned')).toMatch(
    /^Terminating Unknown GardenerShootDeleted Runtime shoot deletion started/,
  );
  expect(h.shoot()?.metadata.annotations).toMatchObject({
    'confirmation.gardener.cloud/deletion': 'true',
    'infrastructuremanager.kyma-project.io/runtime-id': 'runtime-1',
  });
  await h.wait(600_000);
  expect(h.stored()).toBeUndefined();
});

test.each([
  ['delete', 'Shoot', /^Terminating False GardenerShootDeleted Gardener API shoot delete error: .*why$/],
  [
    'delete',
    'ConfigMap',
    /^Terminating False StructuredConfigDeleted Gardener API structured authentication configmap delete error: .*why$/,
  ],
])(
  'a %s of the %s that Gardener refuses is shown with its cause, and repeated',
  async (verb, kind, shown) => {
    await completed();
    const end = h.gardener.client.onRequest((request) => {
      if (request.verb === verb && request.type.kind === kind) throw apiError(403, 'Forbidden', 'why');
    });
    await h.delete();
    await h.wait(30_000);
    expect(h.shown('Deprovisioned')).toMatch(shown);
    end();
    await h.wait(600_000);
    expect(h.stored()).toBeUndefined();
  },
);

test('an authentication configuration that Gardener refuses is shown with its cause, and repeated', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const end = h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === 'ConfigMap') throw apiError(403, 'Forbidden', 'why');
  });
  await h.create(runtimeOf());
  await h.wait(1000);
  expect(h.shown()).toMatch(
    /^Failed False OidcConfigurationErr Failed to create structured authentication config map: .*why$/,
  );
  end();
  await h.wait(300_000);
  expect(h.stored()?.status?.state).toBe('Ready');
});

test('[I4] [I5] a new Runtime gets the finalizer, and then its first condition', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  h.gardener.client.onRequest(({ verb, type }) => {
    if (verb === 'create' && type.kind === 'Shoot') throw apiError(403, 'Forbidden');
  });
  await h.create(runtimeOf());
  expect(h.stored()?.metadata.finalizers).toEqual([finalizer]);
  const writes = h.client.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
  expect(writes.slice(0, 2).map(({ subresource = 'object' }) => subresource)).toEqual(['object', 'status']);
  expect(h.statuses()[0]).toBe('Pending Provisioned=Unknown Initialised');
});

test('[I6] a Runtime with any condition Provisioned and no Shoot has its Shoot created', async () => {
  h = await startRuntimeHarness(startSimulatedGardener);
  const conditions = [
    {
      type: 'Provisioned',
      status: 'False' as const,
      reason: 'ConversionErr',
      message: 'm',
      lastTransitionTime: '2024-01-01T00:00:00Z',
    },
  ];
  const status: Runtime['status'] = { state: 'Failed', conditions };
  h.client.seed(runtimes, { ...runtimeOf({}, { finalizers: [finalizer], generation: 1 }), status });
  await h.wait();
  expect(requests('create')).toBe(1);
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
});

test('[I7] a Shoot that exists is not created', async () => {
  await completed();
  await h.restart();
  await h.wait();
  expect(requests('create')).toBe(1);
});

test('[I8] [I13] a forced patch is sent once; its annotation is removed and others stay', async () => {
  await completed();
  await h.patch({ metadata: { annotations: { [annotationForcePatch]: 'true' } } });
  await h.wait();
  expect(requests('update')).toBe(1);
  expect(h.stored()?.metadata.annotations).toEqual(EXISTING);
});

test('[I9] a suspended Runtime is not patched, not even by force; without the annotation it is', async () => {
  await completed();
  const annotations = { [annotationForcePatch]: 'true', [annotationSuspendPatch]: 'true' };
  await h.patch({ metadata: { annotations }, ...moreNodes });
  await h.wait(600_000);
  expect(requests('update')).toBe(0);
  await h.patch({ metadata: { annotations: { [annotationSuspendPatch]: null } } });
  await h.wait();
  expect(requests('update')).toBe(1);
});

test('[I10.7] [I12] a patch that changes the Shoot makes the Runtime Pending', async () => {
  await completed();
  h.gardener.gardenlet.stageMs = Number.POSITIVE_INFINITY;
  await h.patch(otherPurpose);
  await h.wait();
  expect(h.shown()).toBe('Pending Unknown Processing Shoot is pending for update after patch');
  expect(h.stored()?.metadata.annotations).toEqual(EXISTING);
});

test('[I14] [I15] a change fails while a mandatory audit log has no data for the region, and is sent when it has', async () => {
  const rendering = renderingOf();
  let isKnown = true;
  await completed({
    rendering: {
      ...rendering,
      auditData: (runtime) => (isKnown ? rendering.auditData(runtime) : { missing: 'missing region' }),
    },
  });
  isKnown = false;
  await h.patch(otherPurpose);
  expect(h.shown()).toBe('Failed False AuditLogErr Failed to configure audit logs: missing region');
  expect(requests('update')).toBe(0);
  isKnown = true;
  await h.wait(60_000);
  expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
});

test('without audit log data a mandatory audit log prevents the creation, an optional one does not', async () => {
  const elsewhere = runtimeOf({
    region: 'eu-west-2',
    provider: { type: 'aws', workers: [worker({ zones: ['eu-west-2a'] })] },
  });
  h = await startRuntimeHarness(startSimulatedGardener);
  await h.create(elsewhere);
  await h.wait();
  expect(h.shown()).toMatch(/^Failed False AuditLogErr Failed to configure audit logs: .*'eu-west-2'/);
  expect(requests('create')).toBe(0);
  await h.stop();
  h = await startRuntimeHarness(startSimulatedGardener, { auditLogMandatory: false });
  await h.create(elsewhere);
  await h.wait();
  expect(h.shown()).toMatch(/^Ready True ShootCreationCompleted/);
});

test('[I16] a patch without effect is completed at once', async () => {
  await completed();
  await h.patch({ metadata: { annotations: { [annotationForcePatch]: 'true' } } });
  await h.wait();
  expect(h.shown()).toBe('Ready True Processing Shoot patched without changes');
});

test.each([
  {
    title: '[I17] a conflict of the patch',
    status: 409,
    reason: 'Conflict',
    change: otherPurpose,
    shown: /^Pending Unknown Processing Shoot is pending for update after conflict error$/,
  },
  {
    title: '[I18] a patch that is forbidden',
    status: 403,
    reason: 'Forbidden',
    change: otherPurpose,
    shown: /^Pending Unknown Processing Shoot is pending for update after forbidden error: .*why$/,
  },
  {
    title: '[I19] a patch that is refused',
    status: 401,
    reason: 'Unauthorized',
    change: otherPurpose,
    shown: /^Failed False ProcessingErr Gardener API shoot update error: .*why$/,
  },
  {
    title: '[I20] a conflict of the update',
    status: 409,
    reason: 'Conflict',
    change: moreNodes,
    shown: /^Pending Unknown Processing Shoot is pending for update after conflict error$/,
  },
  {
    title: '[I21] an update that is forbidden',
    status: 403,
    reason: 'Forbidden',
    change: moreNodes,
    shown: /^Pending Unknown Processing Shoot is pending for update after forbidden error: .*why$/,
  },
  {
    title: '[I22] an update that is refused',
    status: 401,
    reason: 'Unauthorized',
    change: moreNodes,
    shown: /^Failed False ProcessingErr Gardener API shoot update error: .*why$/,
  },
])('$title is shown, and retried', async ({ status, reason, change, shown }) => {
  await completed();
  const end = refusing('update', status, reason, 'why');
  await h.patch(change);
  await h.wait();
  expect(h.shown()).toMatch(shown);
  end();
  await h.wait(60_000);
  expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
});

test('[I23] [I24] [N37] a legacy OIDC configuration is replaced by a ConfigMap, after a conflict too', async () => {
  await completed();
  const key = { namespace: h.gardener.namespace, name: `structured-auth-config-${SHOOT}` };
  const others = h.gardener.client.otherProgram();
  const oidcConfig = { issuerURL: 'https://issuer.example.org', clientID: 'client' };
  await others.mergePatch(
    shoots,
    { ...key, name: SHOOT },
    { spec: { kubernetes: { kubeAPIServer: { oidcConfig } } } },
  );
  await others.mergePatch(configMaps, key, { data: { 'config.yaml': 'of others' } });
  await h.wait();
  const end = refusing('update', 409, 'Conflict', 'why');
  await h.patch(otherPurpose);
  expect(h.shown()).toBe('Pending Unknown Processing Shoot is pending for update after conflict error');
  end();
  await h.wait(60_000);
  expect(h.shoot()?.spec?.kubernetes.kubeAPIServer).not.toHaveProperty('oidcConfig');
  expect(h.gardener.client.peek(configMaps, key)?.data).toEqual(
    renderingOf(h.gardener.project).authenticationConfig(runtimeOf()).data,
  );
  expect(h.shown()).toMatch(/^Ready True ConfigurationCompleted/);
});

test.each([
  ['exists', false],
  ['is gone already', true],
])(
  '[I102] a Runtime whose ConfigMap with the authentication configuration %s is deleted',
  async (_, isGone) => {
    await completed();
    const key = { namespace: h.gardener.namespace, name: `structured-auth-config-${SHOOT}` };
    expect(h.gardener.client.peek(configMaps, key)).toBeDefined();
    if (isGone) await h.gardener.client.otherProgram().delete(configMaps, key);
    await h.delete();
    await h.wait(120_000);
    expect(h.gardener.client.peek(configMaps, key)).toBeUndefined();
    expect(h.stored()).toBeUndefined();
  },
);

test.each([
  ['authentication configuration', { structuredAuthentication: null }],
  ['configuration of its API server', null],
])('[I102] a Runtime whose Shoot has no %s is deleted', async (_, kubeAPIServer) => {
  await completed();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const patch = { spec: { kubernetes: { kubeAPIServer } } };
  await h.gardener.client.otherProgram().mergePatch(shoots, key, patch);
  await h.delete();
  await h.wait(120_000);
  expect([h.stored(), h.shoot()]).toEqual([undefined, undefined]);
});
