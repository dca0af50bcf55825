import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { Task } from '../../../internal/components/model/task.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { configMaps, type ResourceType } from '../../../internal/kube/object/resource-type.ts';
import { type CallbackServer, startCallbackServer } from '../../environment/components/callback-server.ts';
import {
  type ComponentProcess,
  type ComponentProcesses,
  componentProcesses,
} from '../../environment/components/component-process.ts';
import {
  createKymaWorkspace,
  KYMA_VERSION,
  type KymaWorkspace,
} from '../../environment/components/kyma-workspace.ts';
import { eventually } from '../../environment/eventually.ts';
import { type Objects, objectsOf } from '../../environment/objects.ts';
import { editKubeconfig } from '../harness/access/kubeconfigs.ts';
import { controlPlanes, uniqueName } from '../harness/control-planes/control-planes.ts';

interface Deployment extends KubeObject {
  readonly spec: { readonly template: object };
}

const deployments: ResourceType<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
};
const replicaSets: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
  namespaced: true,
};

let plane: ControlPlaneAccess;
let objects: Objects;
let workspace: KymaWorkspace;
let callbacks: CallbackServer;
let processes: ComponentProcesses;
let base: ComponentProcess;

beforeAll(async () => {
  plane = (await controlPlanes()).kyma;
  objects = objectsOf(plane);
  [workspace, callbacks, processes] = await Promise.all([
    createKymaWorkspace(),
    startCallbackServer(),
    componentProcesses(),
  ]);
  base = await processes.start({
    workspace: workspace.folder,
    args: ['--progress-interval=100ms', '--retries-delay=100ms'],
  });
});
afterAll(async () => {
  await processes?.stop();
  await callbacks?.close();
  await workspace?.remove();
});

const configMap = (data = 'one') => `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { key: ${data} }
`;

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, image: "web:1" }] }
`;

/** A component of its own with this template, and its task. */
async function componentWith(
  template: string,
): Promise<{ name: string; task: (more?: Partial<Task>) => Task }> {
  const name = uniqueName('component');
  await workspace.chart(name, { 'templates/all.yaml': template });
  return {
    name,
    task: (more = {}) => {
      const correlationID = randomUUID();
      return {
        componentsReady: [],
        component: name,
        namespace: name,
        version: KYMA_VERSION,
        url: '',
        profile: '',
        configuration: {},
        kubeconfig: plane.kubeconfig,
        metadata: {
          globalAccountID: '',
          subAccountID: '',
          serviceID: '',
          servicePlanID: '',
          servicePlanName: '',
          shootName: '',
          instanceID: '',
          region: '',
        },
        callbackURL: callbacks.urlOf(correlationID),
        correlationID,
        repository: { url: '' },
        type: 'reconcile',
        componentConfiguration: { maxRetries: 1, debug: false },
        ...more,
      };
    },
  };
}

const statusesOf = ({ correlationID }: Task) => callbacks.reports(correlationID).map(({ status }) => status);

async function run(task: Task, component = base) {
  expect(await component.send(task)).toBe(200);
  return callbacks.ended(task.correlationID);
}

test('[R50] a task without work is answered with 200, and reported as running, then as success', async () => {
  const { task } = await componentWith('');
  const own = task({ component: 'cleaner' });
  expect(await run(own)).toMatchObject({ status: 'success', error: '' });
  expect(statusesOf(own)).toEqual(['running', 'success']);
});

test('[R51] a task without its fields is answered with 400', async () => {
  expect(await base.send({ component: 'a' })).toBe(400);
});

test('[R52] a fresh install: what is awaited is reported, and success once the deployment is ready', async () => {
  const { name, task } = await componentWith(deployment);
  const own = task();
  expect(await base.send(own)).toBe(200);
  await eventually(async () =>
    expect(await objects.find(deployments, { namespace: name, name: 'web' })).toBeDefined(),
  );
  await eventually(() =>
    expect(callbacks.reports(own.correlationID).at(-1)?.progress?.message).toContain(
      `Deployment ${name}/web`,
    ),
  );
  await makeReady(name);
  expect(await callbacks.ended(own.correlationID)).toMatchObject({ status: 'success' });
  const status = await objects.find(configMaps, { namespace: name, name: `${name}-status` });
  expect(status?.data).toMatchObject({ name, status: 'success', version: KYMA_VERSION });
});

/** As the controllers of Kubernetes do; the control plane of tests has none. */
async function makeReady(namespace: string): Promise<void> {
  const live = await objects.get(deployments, {
    namespace,
    name: 'web',
  });
  const { name, uid = '' } = live.metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true };
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web-1', namespace } };
  await objects.apply(replicaSets, {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, ownerReferences: [owner] },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: live.spec.template },
  });
  const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
  await objects.applyStatus(replicaSets, { ...replicaSet, status: counts });
  await objects.applyStatus(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    status: counts,
  });
}

test('[R53] ten tasks at once for two workers: two are accepted, eight are answered with 429', async () => {
  const busy = await processes.start({ workspace: workspace.folder, args: ['--worker-count=2'] });
  const { task } = await componentWith(deployment);
  const answers = await Promise.all(Array.from({ length: 10 }, () => busy.send(task())));
  expect(answers.sort()).toEqual([200, 200, ...Array.from({ length: 8 }, () => 429)]);
  await busy.kill();
});

describe('what cannot work is running first, and an error at last', () => {
  test('[R54] an API version that the cluster does not have', async () => {
    const { task } = await componentWith(configMap());
    expect(await run(task())).toMatchObject({ status: 'success' });
    const changed = await componentWith(configMap().replace('v1', 'v9'));
    const own = changed.task();
    expect(await run(own)).toMatchObject({ status: 'error' });
    expect(statusesOf(own)).toEqual(['running', 'error']);
  });

  test('[R55] a cluster that cannot be reached', async () => {
    const { task } = await componentWith(configMap());
    const cluster = { server: 'https://127.0.0.1:1' };
    const own = task({ kubeconfig: editKubeconfig(plane.kubeconfig, { cluster }) });
    expect((await run(own)).error).toContain('127.0.0.1:1');
    expect(statusesOf(own)).toEqual(['running', 'error']);
  });

  test('[R56] a chart that is broken', async () => {
    const { task } = await componentWith('kind: {{ .Values.');
    const own = task();
    expect((await run(own)).error).toContain('templates/all.yaml');
    expect(statusesOf(own)).toEqual(['running', 'error']);
  });

  test('a kubeconfig that cannot be used, without its content', async () => {
    const { task } = await componentWith(configMap());
    const own = task({ kubeconfig: 'users: [{ name: me, user: { token: hunter2 } }]' });
    expect((await run(own)).error).toContain('kubeconfig');
    expect(JSON.stringify(callbacks.reports(own.correlationID))).not.toContain('hunter2');
    expect(base.output()).not.toContain('hunter2');
  });
});

test('[R57] without a mothership a task is accepted, and works', async () => {
  const { name, task } = await componentWith(configMap());
  const own = task({ callbackURL: 'http://127.0.0.1:1/v1/operations/s/callback/c' });
  expect(await base.send(own)).toBe(200);
  await eventually(async () => {
    expect(await objects.find(configMaps, { namespace: name, name: 'settings' })).toBeDefined();
  });
  expect(callbacks.reports(own.correlationID)).toEqual([]);
});

test('[R58] a deletion waits until everything is gone, and is a success', async () => {
  const { name, task } = await componentWith(configMap());
  expect(await run(task())).toMatchObject({ status: 'success' });
  const own = task({ type: 'delete' });
  expect(await run(own)).toMatchObject({ status: 'success' });
  expect(await objects.find(configMaps, { namespace: name, name: 'settings' })).toBeUndefined();
});

test('a last report that is not delivered is repeated, and stays what it was', async () => {
  let refusals = 3;
  const unsteady = await startCallbackServer((_, { status }) =>
    status === 'success' && refusals-- > 0 ? 503 : 200,
  );
  const { task } = await componentWith(configMap());
  const own = task();
  await base.send({ ...own, callbackURL: unsteady.urlOf(own.correlationID) });
  await eventually(() => expect(unsteady.reports(own.correlationID)).toHaveLength(5));
  expect(unsteady.reports(own.correlationID).map(({ status }) => status)).toEqual([
    'running',
    ...Array.from({ length: 4 }, () => 'success'),
  ]);
  await unsteady.close();
});

test('a stop cancels what runs and reports it as failed, so that it is sent again', async () => {
  const stopped = await processes.start({ workspace: workspace.folder });
  const { task } = await componentWith(deployment);
  const own = task();
  await stopped.send(own);
  await eventually(() => expect(statusesOf(own)).toContain('running'));
  stopped.signal('SIGTERM');
  expect(await stopped.gone).toBe('it ended with 0');
  expect(callbacks.reports(own.correlationID).at(-1)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('stopping'),
  });
});

test('metrics have the durations of tasks, and probes need no login', async () => {
  const closed = await processes.start({ workspace: workspace.folder, args: ['--no-login'] });
  expect((await closed.get('/health/ready')).status).toBe(200);
  expect((await closed.get('/health/live')).status).toBe(200);
  const { task, name } = await componentWith(configMap());
  await run(task(), closed);
  const { body } = await closed.get('/metrics');
  expect(body).toContain(
    `reconciler_processing_time_count{component="${name}",metric="processing_duration_successful_millisecond"} 1`,
  );
  expect(body).toContain('reconciler_workers 50');
  await closed.kill();
});
