import { afterEach, describe, expect, test } from '@jest/globals';
import { shoots } from '../../../../apis/gardener/kinds.ts';
import { gardenerClusters } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import {
  type SimulatedGardener,
  startSimulatedGardener,
} from '../../../../test/simulators/gardener/simulated-gardener.ts';
import { formatTimestamp } from '../../../framework/base/time/formats.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { secrets } from '../../../framework/kube/index.ts';
import { requiredLabels } from '../rendering/fixtures/rendering.fixture.ts';
import { SHOOT } from '../runtime/fixtures/runtime.fixture.ts';
import {
  clusterKey,
  type GardenerClusterHarness,
  gardenerClusterOf,
  secretKey,
  startGardenerClusterHarness,
} from './fixtures/gardener-cluster-harness.fixture.ts';
import { annotationForceRotation, annotationLastSync } from './metadata.ts';

const HOUR = 3_600_000;
const DUE = 13 * HOUR + 40 * 60_000 + 48_000;

let h: GardenerClusterHarness<SimulatedGardener>;

afterEach(async () => {
  await h.stop();
  expect(h.gardener.errors).toEqual([]);
});

async function started(options: { readonly maxKubeconfigSeconds?: number } = {}): Promise<void> {
  h = await startGardenerClusterHarness((clock) => startSimulatedGardener({ clock, ...options }));
}

async function created(options: { readonly maxKubeconfigSeconds?: number } = {}): Promise<void> {
  await started(options);
  await h.create();
  await h.wait();
}

const others = () => h.client.otherProgram();
const lastSync = () => h.secret()?.metadata.annotations?.[annotationLastSync];
const content = () => h.secret()?.data?.config;
const kubeconfig = () => Buffer.from(content() ?? '', 'base64').toString();
const expiration = () => h.metrics.series('infrastructure_manager_im_kubeconfig_expiration');
const state = () => h.metrics.series('infrastructure_manager_im_gardener_clusters_state');

const refusing = (status: number, reason: string, message: string) =>
  h.gardener.client.onRequest(({ subresource }) => {
    if (subresource === 'adminkubeconfig') throw apiError(status, reason, message);
  });

test('[I62] a new GardenerCluster gets its Secret', async () => {
  await created();
  const now = h.client.now() - 5000;
  expect(h.shown()).toBe('Ready True KubeconfigSecretCreated Secret created successfully.');
  expect(h.secret()).toMatchObject({
    type: 'Opaque',
    metadata: {
      labels: {
        ...requiredLabels,
        'kyma-project.io/shoot-name': SHOOT,
        'operator.kyma-project.io/managed-by': 'infrastructure-manager',
        'operator.kyma-project.io/cluster-name': clusterKey.name,
      },
      annotations: { [annotationLastSync]: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
    },
  });
  expect(h.secret()?.metadata).not.toHaveProperty('ownerReferences');
  expect(kubeconfig()).toMatch(/^apiVersion: v1\nkind: Config\n/);
  const [shown] = expiration();
  expect(shown?.labels).toMatchObject({
    runtimeId: 'runtime-1',
    shoot: SHOOT,
    rotationDuration: '51840',
    expirationDuration: '86400',
    expires: String(shown?.value),
  });
  expect(Math.abs((shown?.value ?? 0) - now / 1000 - 86_400)).toBeLessThan(2);
  expect(state()).toMatchObject([
    { labels: { state: 'Ready', reason: 'KubeconfigSecretCreated' }, value: 1 },
  ]);
});

test('[I63] the Secret and the metrics of a deleted GardenerCluster go', async () => {
  await created();
  await h.delete();
  await h.wait();
  expect([h.stored(), h.secret(), expiration(), state()]).toEqual([undefined, undefined, [], []]);
});

test('a deletion that finalizers of others hold says so', async () => {
  await created();
  await others().mergePatch(gardenerClusters, clusterKey, { metadata: { finalizers: ['others'] } });
  await h.delete();
  await h.wait();
  const text = 'the deletion waits for other controllers, which must remove the finalizer others';
  expect(h.shown()).toBe(`Terminating Unknown WaitingForFinalizers ${text}`);
  expect(h.recorder.lines().filter((line) => line.includes(text))).toEqual([`Normal Waiting: ${text}`]);
});

test('[I64] a kubeconfig that Gardener does not give is an Error, and is requested again', async () => {
  await started();
  const end = refusing(500, 'InternalError', 'not now');
  await h.create();
  expect(h.shown()).toMatch(/^Error False FailedToGetKubeconfig Failed to get kubeconfig. Error: .*not now$/);
  expect(state()).toMatchObject([{ labels: { state: 'Error', reason: 'FailedToGetKubeconfig' } }]);
  expect(h.secret()).toBeUndefined();
  end();
  await h.wait(10_000);
  expect(h.shown()).toBe('Ready True KubeconfigSecretCreated Secret created successfully.');
});

test('[I65] a kubeconfig that is due is replaced', async () => {
  await created();
  const before = content();
  await others().mergePatch(secrets, secretKey, {
    metadata: { annotations: { [annotationLastSync]: '2023-10-09T23:00:00Z' } },
  });
  await h.wait();
  expect(content()).not.toBe(before);
  expect(h.client.now() - Date.parse(lastSync() ?? '')).toBeLessThan(10_000);
  expect(h.shown()).toBe('Ready True KubeconfigSecretRotated Secret rotated successfully.');
  expect(expiration()).toHaveLength(1);
});

test('[I66] the annotation forces a rotation once, and is removed', async () => {
  await created();
  const before = content();
  await h.annotate({ [annotationForceRotation]: '', other: 'stays' });
  await h.wait();
  expect(content()).not.toBe(before);
  expect(h.stored()?.metadata.annotations).toEqual({ other: 'stays' });
  expect(h.shown()).toBe('Ready True KubeconfigSecretRotated Secret rotated successfully.');
  expect(h.requests()).toBe(2);
});

test('[I10.3] [I67] a current kubeconfig is kept, and costs no request and no write, also after a restart', async () => {
  await created();
  const before = [content(), lastSync(), h.requests(), h.writes()];
  await h.wait(45_000);
  await h.restart();
  await h.wait(HOUR);
  expect([content(), lastSync(), h.requests(), h.writes()]).toEqual(before);
  expect(expiration()).toHaveLength(1);
});

test('operations of Gardener concern a GardenerCluster that is not Ready alone', async () => {
  await created();
  const reconciles = () =>
    h.metrics.series('controller_runtime_reconcile_total').reduce((sum, { value }) => sum + value, 0);
  const operate = async (lastOperation: object) => {
    const key = { namespace: h.gardener.namespace, name: SHOOT };
    const patch = { status: { lastOperation } };
    await h.gardener.client.otherProgram().mergePatch(shoots, key, patch, { subresource: 'status' });
    await h.wait(1000);
  };
  const before = reconciles();
  for (const state of ['Processing', 'Succeeded']) await operate({ type: 'Reconcile', state });
  expect(reconciles()).toBe(before);
  await others().mergePatch(
    gardenerClusters,
    clusterKey,
    { status: { state: 'Error' } },
    { subresource: 'status' },
  );
  await operate({ type: 'Reconcile', state: 'Processing' });
  expect(h.shown()).toMatch(/^Ready True /);
});

test('a time of the last rotation that lies in the future says nothing: the kubeconfig is replaced', async () => {
  await created();
  const before = content();
  const year = formatTimestamp(h.client.now() + 365 * 24 * HOUR);
  await others().mergePatch(secrets, secretKey, {
    metadata: { annotations: { [annotationLastSync]: year } },
  });
  await h.wait();
  expect(content()).not.toBe(before);
  expect(Date.parse(lastSync() ?? '')).toBeLessThanOrEqual(h.client.now());
  expect(h.requests()).toBe(2);
  // Another program's clock may be a little ahead.
  const soon = formatTimestamp(h.client.now() + 60_000);
  await others().mergePatch(secrets, secretKey, {
    metadata: { annotations: { [annotationLastSync]: soon } },
  });
  await h.wait(HOUR);
  expect(h.requests()).toBe(2);
});

test('a kubeconfig is replaced at each phase of a rotation of the certificate authority, once', async () => {
  await created();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const enter = async (phase: string, times: Record<string, string> = {}) => {
    const certificateAuthorities = { phase, ...times };
    await h.gardener.client
      .otherProgram()
      .mergePatch(
        shoots,
        key,
        { status: { credentials: { rotation: { certificateAuthorities } } } },
        { subresource: 'status' },
      );
    await h.wait(10_000);
  };
  const now = () => formatTimestamp(h.client.now());
  await h.wait(60_000);
  const lastInitiationTime = now();
  await enter('Preparing', { lastInitiationTime });
  expect(h.requests()).toBe(1);
  await h.wait(60_000);
  await enter('Prepared', { lastInitiationTime, lastInitiationFinishedTime: now() });
  expect(h.requests()).toBe(2);
  await enter('Completing');
  expect(h.requests()).toBe(2);
  await h.wait(60_000);
  await enter('Completed', { lastCompletionTime: now() });
  await h.restart();
  await h.wait(HOUR);
  expect(h.requests()).toBe(3);
  expect(h.shown()).toMatch(/^Ready True KubeconfigSecretRotated/);
});

test('a failure that lasts is one event, and another one when it is another failure', async () => {
  await started();
  let message = 'down';
  h.gardener.client.onRequest(({ subresource }) => {
    if (subresource === 'adminkubeconfig') throw apiError(403, 'Forbidden', message);
  });
  await h.create();
  await h.wait(2 * HOUR);
  const failures = () => h.recorder.events.filter(({ reason }) => reason === 'FailedToGetKubeconfig').length;
  expect(failures()).toBe(1);
  message = 'quota';
  await h.wait(HOUR);
  expect(failures()).toBe(2);
});

test('a kubeconfig is replaced when it is due, and not before', async () => {
  await created();
  await h.wait(DUE - 60_000);
  expect(h.requests()).toBe(1);
  await h.wait(60_000);
  expect(h.requests()).toBe(2);
  expect(h.shown()).toBe('Ready True KubeconfigSecretRotated Secret rotated successfully.');
});

test('Gardener that grants less than requested decides when a kubeconfig is due, also after a restart', async () => {
  await created({ maxKubeconfigSeconds: 3600 });
  expect(expiration()[0]?.labels).toMatchObject({ rotationDuration: '2160', expirationDuration: '3600' });
  await h.restart();
  expect(expiration()[0]?.labels).toMatchObject({ rotationDuration: '2160', expirationDuration: '3600' });
  await h.wait(2_052_000 - 60_000);
  expect(h.requests()).toBe(1);
  await h.wait(60_000);
  expect(h.requests()).toBe(2);
});

test('a Secret that others deleted is made again at once', async () => {
  await created();
  await others().delete(secrets, secretKey);
  await h.wait(1000);
  expect(kubeconfig()).toContain('server:');
  expect(h.shown()).toMatch(/^Ready True /);
});

test.each([
  ['emptied', { data: { config: null } }],
  ['overwrote', { data: { config: Buffer.from('nonsense').toString('base64') } }],
  ['gave no time', { metadata: { annotations: { [annotationLastSync]: null } } }],
])('a Secret that others %s gets a kubeconfig at once', async (_, patch) => {
  await created();
  const before = content();
  await others().mergePatch(secrets, secretKey, patch);
  await h.wait(1000);
  expect(kubeconfig()).toContain('server:');
  expect(content()).not.toBe(before);
  expect(h.requests()).toBe(2);
});

test('a Secret that lost labels gets them again, with its kubeconfig', async () => {
  await created();
  const before = content();
  const labels = { 'kyma-project.io/shoot-name': null, 'operator.kyma-project.io/cluster-name': null };
  await others().mergePatch(secrets, secretKey, { metadata: { labels } });
  await h.wait(1000);
  expect(h.secret()?.metadata.labels).toMatchObject({ 'operator.kyma-project.io/cluster-name': 'runtime-1' });
  expect([content(), h.requests()]).toEqual([before, 1]);
});

test('a Secret of others that a GardenerCluster names is neither changed nor deleted', async () => {
  await started();
  const foreign = h.client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: secretKey,
    data: { config: 'b3RoZXI=' },
  });
  await h.create();
  await h.wait();
  expect(h.shown()).toMatch(
    /^Error False FailedToCheckSecret Failed to get secret\. Error: .*belongs to others/,
  );
  await h.delete();
  await h.wait();
  expect(h.secret()).toEqual(foreign);
});

test('the Secret of a program before is kept while it is current', async () => {
  await started();
  const text = 'apiVersion: v1\nclusters:\n- cluster:\n    server: https://one\n';
  h.client.seed(secrets, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...secretKey,
      labels: { 'kyma-project.io/shoot-name': SHOOT },
      annotations: { [annotationLastSync]: formatTimestamp(h.client.now() - HOUR) },
    },
    data: { config: Buffer.from(text).toString('base64') },
  });
  await h.create();
  await h.wait();
  expect([kubeconfig(), h.requests()]).toEqual([text, 0]);
  expect(h.shown()).toMatch(/^Ready True KubeconfigSecretCreated/);
  await h.wait(DUE);
  expect(h.requests()).toBe(1);
});

test('[I10.9] the Secret of a GardenerCluster that was deleted while no process ran is deleted', async () => {
  await created();
  await h.stopProcess();
  await others().delete(gardenerClusters, clusterKey);
  await h.restart();
  await h.wait();
  expect(h.secret()).toBeUndefined();
});

test.each([
  ['another Shoot is replaced, with all that it has', 'two'],
  ['the same Shoot is kept', SHOOT],
])('the kubeconfig of a former GardenerCluster of that name for %s', async (_what, shoot) => {
  await created();
  await h.stopProcess();
  await others().mergePatch(secrets, secretKey, {
    metadata: { labels: { 'kyma-project.io/shoot-name': shoot } },
    data: { former: content() },
  });
  const before = h.secret();
  await others().delete(gardenerClusters, clusterKey);
  await h.create();
  await h.restart();
  await h.wait();
  const { data, metadata } = h.secret() ?? {};
  expect(h.shown()).toMatch(/^Ready True/);
  expect(metadata?.uid).toBe(before?.metadata.uid);
  expect(metadata?.labels).toMatchObject({ 'kyma-project.io/shoot-name': SHOOT });
  expect(Object.keys(data ?? {})).toEqual(shoot === SHOOT ? ['config', 'former'] : ['config']);
  expect(data?.config === before?.data?.config).toBe(shoot === SHOOT);
});

test('a new kubeconfig that its cluster does not accept replaces none, until the old one nears its end', async () => {
  await created();
  const before = content();
  const end = h.runtime.onRequest(() => {
    throw apiError(401, 'Unauthorized');
  });
  await h.wait(DUE);
  expect(h.shown()).toMatch(
    /^Error False FailedToUpdateSecret Failed to rotate secret\. Error: the cluster does not accept the new kubeconfig: /,
  );
  await h.wait(7 * HOUR);
  expect(content()).toBe(before);
  await h.wait(HOUR);
  expect(content()).not.toBe(before);
  expect(h.shown()).toMatch(
    /^Ready True KubeconfigSecretRotated Secret rotated successfully\. The kubeconfig could not be tried: /,
  );
  end();
});

describe('a kubeconfig that its cluster is said to refuse', () => {
  const report = () =>
    h.refused.report(
      `${secretKey.namespace}/${secretKey.name}`,
      h.secret()?.metadata.resourceVersion ?? '',
      apiError(401, 'Unauthorized'),
    );
  const tried = () => h.runtime.requests.length;

  test('is replaced if the cluster still refuses it, and not again for ten minutes', async () => {
    await created();
    const [before, asked] = [content(), h.requests()];
    const end = h.runtime.onRequest(() => {
      if (content() === before) throw apiError(401, 'Unauthorized');
    });
    // The cluster accepts the new one, which is tried before it is stored.
    h.gardener.client.onRequest(({ subresource }) => {
      if (subresource === 'adminkubeconfig') end();
    });
    report();
    await h.wait();
    expect(h.shown()).toBe('Ready True KubeconfigSecretRotated Secret rotated successfully.');
    expect([content() === before, h.requests()]).toEqual([false, asked + 1]);
    const attempts = tried();
    report();
    await h.wait(590_000);
    expect([h.requests(), tried()]).toEqual([asked + 1, attempts]);
  });

  test('is kept if the cluster accepts it, and is not tried again without another report', async () => {
    await created();
    const [before, asked] = [content(), h.requests()];
    report();
    await h.wait();
    const attempts = tried();
    expect([content(), h.requests(), attempts]).toEqual([before, asked, 1]);
    await h.annotate({ any: 'thing' });
    expect(tried()).toBe(attempts);
    report();
    await h.wait();
    expect(tried()).toBe(attempts + 1);
  });
});

test('a kubeconfig of a hibernated Shoot is replaced when it is due, without being tried', async () => {
  await created();
  const before = content();
  const asked = h.requests();
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  const status = { hibernated: true };
  await h.gardener.client.otherProgram().mergePatch(shoots, key, { status }, { subresource: 'status' });
  h.runtime.onRequest(() => {
    throw apiError(503, 'ServiceUnavailable', 'asleep');
  });
  await h.wait(DUE + HOUR);
  expect(h.shown()).toBe(
    'Ready True KubeconfigSecretRotated Secret rotated successfully. The kubeconfig could not be tried: the Shoot is hibernated',
  );
  expect(content()).not.toBe(before);
  expect(h.requests()).toBe(asked + 1);
});

test('a new kubeconfig is stored when its cluster accepts it again', async () => {
  await created();
  const end = h.runtime.onRequest(() => {
    throw apiError(401, 'Unauthorized');
  });
  await h.wait(DUE);
  end();
  await h.wait(600_000);
  expect(h.shown()).toBe('Ready True KubeconfigSecretRotated Secret rotated successfully.');
});

test('a Shoot that is gone is an Error; a new one of its name is noticed', async () => {
  await created();
  const shoot = h.gardener.client.peek(shoots, { namespace: h.gardener.namespace, name: SHOOT });
  const gardener = h.gardener.client.otherProgram();
  const annotations = { 'confirmation.gardener.cloud/deletion': 'true' };
  const key = { namespace: h.gardener.namespace, name: SHOOT };
  await gardener.mergePatch(shoots, key, { metadata: { annotations } });
  await gardener.delete(shoots, key);
  await h.wait(1000);
  await h.annotate({ [annotationForceRotation]: 'x' });
  expect(h.shown()).toMatch(/^Error False FailedToGetKubeconfig /);
  expect(kubeconfig()).toContain('server:');
  const asked = h.requests();
  await h.wait(60_000);
  expect(h.requests()).toBe(asked);
  const { status: _, ...created_ } = shoot ?? gardenerClusterOf();
  await gardener.create(shoots, {
    ...created_,
    metadata: { namespace: h.gardener.namespace, name: SHOOT },
  } as never);
  await h.wait(5000);
  expect(h.shown()).toMatch(/^Ready True KubeconfigSecretRotated/);
});

test('[I10.3] while Gardener does not respond the old kubeconfig stays, and its expiry is known', async () => {
  await created();
  const before = content();
  const end = refusing(503, 'ServiceUnavailable', 'down');
  await h.wait(DUE + HOUR);
  expect(content()).toBe(before);
  expect(h.shown()).toMatch(/^Error False FailedToGetKubeconfig /);
  const left = (expiration()[0]?.value ?? 0) - h.client.now() / 1000;
  expect(left).toBeGreaterThan(9 * 3600 - 300);
  end();
  await h.wait(300_000);
  expect(h.shown()).toMatch(/^Ready True KubeconfigSecretRotated/);
});

test('two rivals for a Secret: the one that is behind writes nothing', async () => {
  await created();
  const hook = h.client.onRequest(async ({ verb, type }) => {
    if (verb !== 'update' || type.kind !== 'Secret') return;
    hook();
    await others().mergePatch(secrets, secretKey, {
      metadata: { annotations: { [annotationLastSync]: formatTimestamp(h.client.now()) } },
    });
  });
  await h.wait(DUE);
  expect(h.shown()).toBe('Ready True KubeconfigSecretCreated Secret created successfully.');
});
