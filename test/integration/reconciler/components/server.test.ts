import { beforeAll, describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';
import { configMaps, type ResourceType } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Task } from '../../../../internal/systems/reconciler/components/model/task.ts';
import type { ComponentProcess } from '../../../environment/components/component-process.ts';
import { KYMA_VERSION } from '../../../environment/components/kyma-workspace.ts';
import { eventually } from '../../../environment/eventually.ts';
import { forFile } from '../../harness/for-file.ts';
import { startComponentEnvironment } from './component-environment.ts';

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

const environment = forFile(startComponentEnvironment);
let base: ComponentProcess;

beforeAll(async () => {
  base = await environment.processes.start({
    workspace: environment.workspace.folder,
    args: ['--progress-interval=100ms', '--retries-delay=100ms'],
  });
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

const statusesOf = ({ correlationID }: Task) =>
  environment.callbacks.reports(correlationID).map(({ status }) => status);

async function run(task: Task, component = base) {
  expect(await component.send(task)).toBe(200);
  return environment.callbacks.ended(task.correlationID);
}

test('[R50] a task without work is answered with 200, and reported as running, then as success', async () => {
  const { task } = await environment.component('');
  const own = task({ component: 'cleaner' });
  expect(await run(own)).toMatchObject({ status: 'success', error: '' });
  expect(statusesOf(own)).toEqual(['running', 'success']);
});

test('[R52] a fresh install: what is awaited is reported, and success once the deployment is ready', async () => {
  const { name, task } = await environment.component(deployment);
  const own = task();
  expect(await base.send(own)).toBe(200);
  await eventually(async () =>
    expect(await environment.objects.find(deployments, { namespace: name, name: 'web' })).toBeDefined(),
  );
  await eventually(() =>
    expect(environment.callbacks.reports(own.correlationID).at(-1)?.progress?.message).toContain(
      `Deployment ${name}/web`,
    ),
  );
  await makeReady(name);
  expect(await environment.callbacks.ended(own.correlationID)).toMatchObject({ status: 'success' });
  await eventually(async () => {
    const key = { namespace: name, name: `${name}-status` };
    const { data } = await environment.objects.get(configMaps, key);
    expect(data).toMatchObject({ name, status: 'success', version: KYMA_VERSION });
  });
});

/** As the controllers of Kubernetes do; the control plane of tests has none. */
async function makeReady(namespace: string): Promise<void> {
  const live = await environment.objects.get(deployments, {
    namespace,
    name: 'web',
  });
  const { name, uid = '' } = live.metadata;
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true };
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'web-1', namespace } };
  await environment.objects.apply(replicaSets, {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, labels: { app: 'web' }, ownerReferences: [owner] },
    spec: { replicas: 1, selector: { matchLabels: { app: 'web' } }, template: live.spec.template },
  });
  const counts = { replicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
  await environment.objects.applyStatus(replicaSets, { ...replicaSet, status: counts });
  await environment.objects.applyStatus(deployments, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    status: counts,
  });
}

test('[R53] ten tasks at once for two workers: two are accepted, eight are answered with 429', async () => {
  const busy = await environment.processes.start({
    workspace: environment.workspace.folder,
    args: ['--worker-count=2'],
  });
  const { task } = await environment.component(deployment);
  const answers = await Promise.all(Array.from({ length: 10 }, () => busy.send(task())));
  expect(answers.sort()).toEqual([200, 200, ...Array.from({ length: 8 }, () => 429)]);
  await busy.kill();
});

describe('what cannot work is running first, and an error at last', () => {
  test('[R54] an API version that the cluster does not have', async () => {
    const { task } = await environment.component(configMap());
    expect(await run(task())).toMatchObject({ status: 'success' });
    const changed = await environment.component(configMap().replace('v1', 'v9'));
    const own = changed.task();
    expect(await run(own)).toMatchObject({ status: 'error' });
    expect(statusesOf(own)).toEqual(['running', 'error']);
  });

  test('[R56] a chart that is broken', async () => {
    const { task } = await environment.component('kind: {{ .Values.');
    const own = task();
    expect((await run(own)).error).toContain('templates/all.yaml');
    expect(statusesOf(own)).toEqual(['running', 'error']);
  });
});

test('[R57] without a mothership a task is accepted, and works', async () => {
  const { name, task } = await environment.component(configMap());
  const own = task({ callbackURL: 'http://127.0.0.1:1/v1/operations/s/callback/c' });
  expect(await base.send(own)).toBe(200);
  await eventually(async () => {
    expect(await environment.objects.find(configMaps, { namespace: name, name: 'settings' })).toBeDefined();
  });
  expect(environment.callbacks.reports(own.correlationID)).toEqual([]);
});

test('[R58] a deletion waits until everything is gone, and is a success', async () => {
  const { name, task } = await environment.component(configMap());
  expect(await run(task())).toMatchObject({ status: 'success' });
  const own = task({ type: 'delete' });
  expect(await run(own)).toMatchObject({ status: 'success' });
  expect(await environment.objects.find(configMaps, { namespace: name, name: 'settings' })).toBeUndefined();
});

test('a stop cancels what runs and reports it as failed, so that it is sent again', async () => {
  const stopped = await environment.processes.start({ workspace: environment.workspace.folder });
  const { task } = await environment.component(deployment);
  const own = task();
  await stopped.send(own);
  await eventually(() => expect(statusesOf(own)).toContain('running'));
  stopped.signal('SIGTERM');
  expect(await stopped.gone).toBe('it ended with 0');
  expect(environment.callbacks.reports(own.correlationID).at(-1)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('stopping'),
  });
});

test('metrics have the durations of tasks, and probes need no login', async () => {
  const closed = await environment.processes.start({
    workspace: environment.workspace.folder,
    args: ['--no-login'],
  });
  expect((await closed.get('/health/ready')).status).toBe(200);
  expect((await closed.get('/health/live')).status).toBe(200);
  const { task, name } = await environment.component(configMap());
  await run(task(), closed);
  // A task ends when its last report is answered.
  await eventually(async () => {
    const { body } = await closed.get('/metrics');
    expect(body).toContain(
      `reconciler_processing_time_count{component="${name}",metric="processing_duration_successful_millisecond"} 1`,
    );
    expect(body).toContain('reconciler_workers 50');
  });
  await closed.kill();
});
