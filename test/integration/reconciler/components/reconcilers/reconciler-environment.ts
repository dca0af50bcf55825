/** Actions of component reconcilers on a real control plane with the controllers of workloads; charts are given by the test. */
import { createDeps } from '../../../../../internal/framework/base/deps.ts';
import { systemClock } from '../../../../../internal/framework/base/time/clock.ts';
import type { KubeObject } from '../../../../../internal/framework/kube/object/object.ts';
import { namespaces } from '../../../../../internal/framework/kube/object/resource-type.ts';
import { openManagedCluster } from '../../../../../internal/systems/reconciler/components/clusters/open-managed-cluster.ts';
import type {
  ActionContext,
  Charts,
  ManagedCluster,
} from '../../../../../internal/systems/reconciler/components/model/component.ts';
import type { Task } from '../../../../../internal/systems/reconciler/components/model/task.ts';
import { createDeployer } from '../../../../../internal/systems/reconciler/components/objects/deploy/create-deployer.ts';
import { testTask } from '../../../../../internal/systems/reconciler/components/runner/fake-parts.fixture.ts';
import { crdOf } from '../../../../environment/crd-of.ts';
import { type Objects, objectsOf } from '../../../../environment/objects.ts';
import { manifestOf } from '../deploy-environment.ts';
import { startWorkloads } from '../deploy-kubelet.ts';

export interface ChartOfTest {
  /** Of the rendered chart, as YAML; gets the request of the rendering. */
  readonly manifest?: (request: Parameters<Charts['render']>[0]) => string;
  readonly values?: Readonly<Record<string, unknown>>;
  /** The CRDs of the version, as YAML. */
  readonly crds?: string;
}

export interface ReconcilerEnvironment {
  readonly objects: Objects;
  readonly plane: Awaited<ReturnType<typeof startWorkloads>>['plane'];
  readonly cluster: ManagedCluster;
  /** An attempt of a task. */
  context(task: Partial<Task>, chart?: ChartOfTest): ActionContext & { readonly messages: readonly string[] };
  namespace(name: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startReconcilers(name: string): Promise<ReconcilerEnvironment> {
  const workloads = await startWorkloads(name);
  const { plane } = workloads;
  const deps = createDeps({ clock: systemClock });
  const cluster = openManagedCluster(plane.kubeconfig, { ...deps, env: {}, allowPrivateEndpoints: true });
  const deployer = createDeployer({
    ...deps,
    progressIntervalMs: 100,
    progressTimeoutMs: 60_000,
    discoveryTries: 1,
  });
  const objects = objectsOf(plane);
  return {
    objects,
    plane,
    cluster,
    context: (task, { manifest = () => '', values = {}, crds = '' } = {}) => {
      const messages: string[] = [];
      return {
        ...deps,
        // Polls of seconds are polls of milliseconds.
        clock: { ...systemClock, after: (ms, act) => systemClock.after(ms / 50, act) },
        task: testTask(task),
        cluster,
        deployer,
        charts: {
          workspace: async () => ({ folder: '/workspace', chart: '/workspace/chart', revision: '1' }),
          render: async (request) => manifestOf(manifest(request)),
          values: async () => values,
          crds: async () => manifestOf(crds),
        },
        signal: AbortSignal.timeout(120_000),
        configuration: { ...task.configuration },
        progress: (message) => messages.push(message),
        messages,
      };
    },
    namespace: async (other) => {
      const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: other } };
      await objects.apply(namespaces, namespace);
    },
    stop: async () => {
      await cluster.close();
      await workloads.stop();
    },
  };
}

/** A definition whose objects may have any field. */
export const openCrd = (group: string, version: string, kind: string, more: object = {}) =>
  crdOf({ group, version, kind, plural: `${kind.toLowerCase()}s`, namespaced: true }, undefined, more);
