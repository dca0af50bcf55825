/** A control plane whose controllers of workloads run, and a node: pods become ready as if they ran. */
import { type ControlPlane, startControlPlane } from '../../../../hack/control-planes/control-plane.ts';
import { CONTROLLER_MANAGER_FLAGS } from '../../../../hack/control-planes/server-flags.ts';
import { valueAt } from '../../../../internal/framework/base/json/json-value.ts';
import { sleep, systemClock } from '../../../../internal/framework/base/time/clock.ts';
import type { KubeObject } from '../../../../internal/framework/kube/object/object.ts';

const WORKLOAD_CONTROLLERS = [
  'daemonset-controller',
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'job-controller',
];

export interface Workloads {
  readonly plane: ControlPlane;
  stop(): Promise<void>;
}

export async function startWorkloads(name: string): Promise<Workloads> {
  const controllers = [CONTROLLER_MANAGER_FLAGS.controllers, ...WORKLOAD_CONTROLLERS].join(',');
  const plane = await startControlPlane({
    name,
    prepare: async () => ({ 'kube-controller-manager': { controllers } }),
  });
  const send = async (path: string, method: string, body: unknown, contentType = 'application/json') =>
    plane.request(path, { method, body, contentType });
  await send('/api/v1/nodes', 'POST', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } });
  const stopping = new AbortController();
  const running = (async () => {
    while (!stopping.signal.aborted) {
      const { body } = await plane.request('/api/v1/pods?resourceVersion=0');
      const pods: unknown = valueAt(body, ['items']);
      for (const pod of Array.isArray(pods) ? pods : []) await run(pod, send);
      await sleep(systemClock, 200);
    }
  })();
  return {
    plane,
    stop: async () => {
      stopping.abort();
      await running.catch(() => undefined);
      await plane.stop();
    },
  };
}

type Send = (path: string, method: string, body: unknown, contentType?: string) => Promise<unknown>;

/** Binds a new pod, makes a bound one ready, and ends one that is being deleted. */
async function run(pod: KubeObject, send: Send): Promise<void> {
  const { name, namespace, deletionTimestamp } = pod.metadata;
  const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
  if (deletionTimestamp !== undefined) {
    await send(`${path}?gracePeriodSeconds=0`, 'DELETE', undefined);
    return;
  }
  if (valueAt(pod, ['spec', 'nodeName']) === undefined) {
    const target = { apiVersion: 'v1', kind: 'Node', name: 'node' };
    await send(`${path}/binding`, 'POST', { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target });
  }
  if (valueAt(pod, ['status', 'phase']) === 'Pending') {
    const isJob = valueAt(pod, ['spec', 'restartPolicy']) === 'Never';
    const conditions = ['Ready', 'ContainersReady', 'PodScheduled'].map((type) => ({ type, status: 'True' }));
    const status = isJob ? { phase: 'Succeeded' } : { phase: 'Running', conditions };
    await send(`${path}/status`, 'PATCH', { status }, 'application/merge-patch+json');
  }
}
