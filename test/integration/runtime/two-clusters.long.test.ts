/** A controller with sources on two control planes, of which the second may be missing. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import { createAuthority } from '../../../hack/control-planes/access/authority.ts';
import { type ControlPlane, startControlPlane } from '../../../hack/control-planes/control-plane.ts';
import { freePort } from '../../../hack/control-planes/process/free-port.ts';
import { nopLogger as log } from '../../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import {
  availabilityOf,
  type ControllerManager,
  createControllerManager,
  done,
  handleError,
  mapped,
  type ReconciledKind,
  validatingWebhook,
  type WithStatus,
} from '../../../internal/framework/controller/index.ts';
import {
  type Cluster,
  type Condition,
  configMaps,
  createCluster,
  type Informers,
  keyOf,
  keyString,
  parseUntrustedKubeconfig,
  type ResourceType,
  withCondition,
} from '../../../internal/framework/kube/index.ts';
import { createPrometheusMetrics } from '../../../internal/framework/process/index.ts';
import { crdOf } from '../../environment/crd-of.ts';
import { eventually } from '../../environment/eventually.ts';
import { installCrds, removeCrds } from '../../environment/install-crds.ts';
import { configMapManifest } from '../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

/** Its status shows the text of a ConfigMap of the same name on the other cluster, and its own name, which needs no cluster. */
interface Echo extends WithStatus {
  status?: { readonly name?: string; readonly text?: string; readonly conditions?: Condition[] };
}

const group = `${uniqueName('echoes')}.example.org`;
const echoes: ResourceType<Echo> = {
  group,
  version: 'v1',
  kind: 'Echo',
  plural: 'echoes',
  namespaced: false,
};
const crd = crdOf(echoes, {
  type: 'object',
  properties: { status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});

const textsOf = (informers: Informers) => informers.of(configMaps, { selection: { namespace: 'default' } });

function echoKind(other: Cluster): ReconciledKind<Echo> {
  return {
    type: echoes,
    sources: (_informers, cache, at) => [
      mapped(textsOf(at(other)), ({ metadata: { name } }) => [name]),
      availabilityOf(other, () => cache.list().map((echo) => keyString(keyOf(echo)))),
    ],
    reconcile: async (copy, { log, signal, informersAt, clock }) => {
      const show = async (
        status: Echo['status'],
        ready: Pick<Condition, 'status' | 'reason' | 'message'>,
      ) => {
        const known = copy.object.status?.conditions ?? [];
        const conditions = withCondition(known, { type: 'Ready', ...ready }, clock.now());
        copy.object.status = {
          ...copy.object.status,
          name: copy.object.metadata.name,
          ...status,
          conditions,
        };
        await copy.putStatus(signal);
        return done;
      };
      try {
        const text = textsOf(informersAt(other)).get(`default/${copy.object.metadata.name}`)?.data?.text;
        const problem = other.problem();
        if (problem === undefined)
          return await show(text === undefined ? {} : { text }, { status: 'True', reason: 'Read' });
        return await show({}, { status: 'False', reason: 'ClusterUnavailable', message: problem.text });
      } catch (error) {
        const sink = {
          poll: () => done,
          show: ({ text: message }: { readonly text: string }) =>
            show({}, { status: 'False', reason: 'ClusterUnavailable', message }),
        };
        return handleError(error, sink, log);
      }
    },
  };
}

let management: ControlPlaneAccess;
let objects: Objects;
let plane: ControlPlane;
let other: Cluster;
let manager: ControllerManager;
let folder: string;
let webhookPort: number;
let ended: Promise<void>;
const stopping = new AbortController();
const metrics = createPrometheusMetrics();

beforeAll(async () => {
  management = (await controlPlanes()).management;
  objects = objectsOf(management);
  await installCrds(management, [crd]);
  plane = await startControlPlane({ name: 'other' });
  // In order it would wait a minute for the watches of the controllers.
  await plane.stopApiServer();
  folder = await mkdtemp(join(tmpdir(), 'kyma-two-clusters-'));
  const { certificate, key } = await (await createAuthority('webhooks')).issueServer(['127.0.0.1']);
  await writeFile(join(folder, 'tls.crt'), certificate);
  await writeFile(join(folder, 'tls.key'), key);
  webhookPort = await freePort();
  const clusterOf = (kubeconfig: string, settings: { name?: string; required?: boolean }) =>
    createCluster({
      clock: systemClock,
      log,
      metrics,
      config: parseUntrustedKubeconfig(kubeconfig),
      ...settings,
    });
  const cluster = clusterOf(management.kubeconfig, {});
  other = clusterOf(plane.kubeconfig, { name: 'other', required: false });
  manager = createControllerManager({
    cluster,
    log,
    metrics,
    settings: {
      metricsAddress: '127.0.0.1:0',
      healthAddress: '127.0.0.1:0',
      webhookAddress: `127.0.0.1:${webhookPort}`,
      webhookCertificateFolder: folder,
    },
  });
  manager.addCluster(other);
  manager.addReconciled(echoKind(other));
  manager.addWebhook(validatingWebhook<Echo>(echoes, () => undefined));
  ended = manager.run(stopping.signal).finally(() => cluster.close());
  ended.catch(() => undefined);
}, 120_000);

afterAll(async () => {
  stopping.abort();
  await ended;
  await plane.stop();
  await removeCrds(management, [crd]);
  await rm(folder, { recursive: true, force: true });
});

const create = async (name: string) => {
  await objects.apply(echoes, { apiVersion: `${group}/v1`, kind: 'Echo', metadata: { name } });
};
const statusOf = async (name: string) => {
  const { status } = await objects.get(echoes, { name });
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return { name: status?.name, text: status?.text, ready: ready?.reason, message: ready?.message };
};
const writeText = (name: string, text: string) =>
  objectsOf(plane).apply(configMaps, configMapManifest({ namespace: 'default', name }, { text }));

/** It serves although the other cluster does not respond. */
async function expectToServe(): Promise<void> {
  const { health } = manager.addresses();
  const ready = await fetch(`http://${health}/readyz`);
  const page = await ready.text();
  expect([ready.status, page]).toEqual([200, expect.stringContaining('[+]cluster other ok: ')]);
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  try {
    const url = `https://127.0.0.1:${webhookPort}/validate-${group.replaceAll('.', '-')}-v1-echo`;
    const review = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: 'u',
        operation: 'CREATE',
        object: { apiVersion: `${group}/v1`, kind: 'Echo', metadata: { name: 'x' } },
      },
    };
    const headers = { 'content-type': 'application/json' };
    const answer = await request(url, { method: 'POST', headers, body: JSON.stringify(review), dispatcher });
    expect(await answer.body.json()).toMatchObject({ response: { uid: 'u', allowed: true } });
  } finally {
    await dispatcher.close();
  }
}

const unavailable = { ready: 'ClusterUnavailable', message: expect.stringContaining('cluster 127.0.0.1') };

test('a cluster that is down at the start blocks neither readiness nor webhooks; objects have a condition, and what does not need it is done', async () => {
  await eventually(expectToServe);
  await create('first');
  await eventually(async () =>
    expect(await statusOf('first')).toMatchObject({ name: 'first', ...unavailable }),
  );
});

test('when the cluster responds, objects go on by themselves', async () => {
  await plane.startApiServer();
  await eventually(async () => expect(await statusOf('first')).toMatchObject({ ready: 'Read' }));
  await writeText('first', 'hello');
  await eventually(async () => expect((await statusOf('first')).text).toBe('hello'));
}, 120_000);

test('when the cluster is killed, objects have the condition and keep what is known, new ones are reconciled, and the process serves', async () => {
  await plane.stopApiServer();
  await eventually(async () =>
    expect(await statusOf('first')).toMatchObject({ text: 'hello', ...unavailable }),
  );
  await expectToServe();
  await create('second');
  await eventually(async () =>
    expect(await statusOf('second')).toMatchObject({ name: 'second', ...unavailable }),
  );
  expect(other.problem()?.cluster).toBe('other');
});

test('when it is back, they go on by themselves', async () => {
  await plane.startApiServer();
  await eventually(async () => {
    expect(await statusOf('first')).toMatchObject({ ready: 'Read', text: 'hello' });
    expect(await statusOf('second')).toMatchObject({ ready: 'Read' });
  });
  await writeText('second', 'again');
  await eventually(async () => expect((await statusOf('second')).text).toBe('again'));
}, 120_000);

test('metrics name the cluster', async () => {
  const page = await (await fetch(`http://${manager.addresses().metrics}/metrics`)).text();
  expect(page).toMatch(/kube_informer_failures_total\{[^}]*cluster="other"[^}]*\} [1-9]/);
  expect(page).toMatch(/kube_informer_failures_total\{[^}]*cluster="management"[^}]*\} \d/);
});
