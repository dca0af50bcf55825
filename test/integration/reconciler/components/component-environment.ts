/** Component reconcilers as processes, before the shared control plane, with charts of a prepared version of Kyma. */
import { randomUUID } from 'node:crypto';
import type { ControlPlaneAccess } from '../../../../hack/control-planes/access/access.ts';
import { namespaces } from '../../../../internal/framework/kube/object/resource-type.ts';
import type { Task } from '../../../../internal/systems/reconciler/components/model/task.ts';
import { testTask } from '../../../../internal/systems/reconciler/components/runner/fake-parts.fixture.ts';
import { type CallbackServer, startCallbackServer } from '../../../environment/components/callback-server.ts';
import {
  type ComponentProcesses,
  componentProcesses,
} from '../../../environment/components/component-process.ts';
import {
  createKymaWorkspace,
  KYMA_VERSION,
  type KymaWorkspace,
} from '../../../environment/components/kyma-workspace.ts';
import { namespaceManifest } from '../../../environment/manifests.ts';
import { type Objects, objectsOf } from '../../../environment/objects.ts';
import { controlPlanes, uniqueName } from '../../harness/control-planes/control-planes.ts';
import { componentObjects, placeCopiesOn } from '../../harness/foreign-copies.ts';

export interface ComponentEnvironment {
  readonly plane: ControlPlaneAccess;
  readonly objects: Objects;
  readonly workspace: KymaWorkspace;
  readonly callbacks: CallbackServer;
  readonly processes: ComponentProcesses;
  /** A component with this template, and a namespace of its own. */
  component(template: string): Promise<TestComponent>;
  /** @throws if a copy of an object was changed or deleted */
  stop(): Promise<void>;
}

export interface TestComponent {
  /** Also of its namespace. */
  readonly name: string;
  /** A task with one attempt, of a new operation. */
  task(changes?: Partial<Task>): Task;
}

export async function startComponentEnvironment(): Promise<ComponentEnvironment> {
  const { kyma: plane } = await controlPlanes();
  const [workspace, callbacks, processes] = await Promise.all([
    createKymaWorkspace(),
    startCallbackServer(),
    componentProcesses(),
  ]);
  const objects = objectsOf(plane);
  const names = new Set<string>();
  const others = uniqueName('others');
  await objects.apply(namespaces, namespaceManifest(others));
  const copies = placeCopiesOn(plane, componentObjects(names, others));
  const task = (name: string, changes: Partial<Task> = {}): Task => {
    const correlationID = randomUUID();
    return testTask({
      component: name,
      namespace: name,
      version: KYMA_VERSION,
      kubeconfig: plane.kubeconfig,
      callbackURL: callbacks.urlOf(correlationID),
      correlationID,
      componentConfiguration: { maxRetries: 1, debug: false },
      ...changes,
    });
  };
  return {
    plane,
    objects,
    workspace,
    callbacks,
    processes,
    component: async (template) => {
      const name = uniqueName('component');
      names.add(name);
      await workspace.chart(name, { 'templates/all.yaml': template });
      return { name, task: (changes) => task(name, changes) };
    },
    stop: async () => {
      await processes.stop();
      await callbacks.close();
      await workspace.remove();
      await copies.stop();
    },
  };
}
