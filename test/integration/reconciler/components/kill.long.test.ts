/**
 * SIGKILL of a component reconciler before and after each of its writes: the next attempt brings the cluster to the same state. A kill at
 * a read leaves what one after the write before it leaves: nothing is kept but on the cluster. In `make test` every second write,
 * before and after in turn; all of them in `make test-faults`.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  configMaps,
  customResourceDefinitions,
  type ResourceType,
  secrets,
} from '../../../../internal/framework/kube/object/resource-type.ts';
import { campaign } from '../../../campaign/campaign.ts';
import type { ComponentProcess } from '../../../environment/components/component-process.ts';
import { eventually } from '../../../environment/eventually.ts';
import { serviceAccountToken } from '../../harness/access/service-account.ts';
import { type ApiProxy, startApiProxy } from '../../harness/api-proxy/api-proxy.ts';
import type { ProxiedRequest } from '../../harness/api-proxy/proxy-rules.ts';
import { uniqueName } from '../../harness/control-planes/control-planes.ts';
import {
  type ComponentEnvironment,
  startComponentEnvironment,
  type TestComponent,
} from './component-environment.ts';

let environment: ComponentEnvironment;
let token: string;
/** Completes what victims began. */
let survivor: ComponentProcess;
const proxies: ApiProxy[] = [];
beforeAll(async () => {
  environment = await startComponentEnvironment();
  token = await serviceAccountToken(environment.plane, uniqueName('kill'));
  survivor = await start();
});
afterAll(async () => {
  await environment?.stop();
  for (const proxy of proxies) await proxy.close();
});

const start = (): Promise<ComponentProcess> =>
  environment.processes.start({
    workspace: environment.workspace.folder,
    args: ['--progress-interval=100ms'],
  });

/** A group of its own for each component: CRDs are cluster-scoped. */
const chart = (group: string, version: 'old' | 'new') => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.${group} }
spec:
  group: ${group}
  scope: Namespaced
  names: { kind: Thing, plural: things, singular: thing, listKind: ThingList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: ${group}/v1
kind: Thing
metadata: { name: one }
spec: { version: ${version} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: ${version} }
data: { version: ${version} }
---
apiVersion: v1
kind: Secret
metadata: { name: shared }
stringData: { version: ${version} }
`;

const { long } = campaign({ seed: 0, runs: 1 });
const STEP = long ? 1 : 4;

const isWrite = ({ method }: ProxiedRequest) => method !== 'GET';

interface Kill {
  readonly when: 'before' | 'after';
  /** From 1. */
  readonly write: number;
}

/** Runs a task, and kills its process at a write. Returns false if there were fewer writes: the process then takes the next task. */
function createKill(proxy: ApiProxy, component: TestComponent) {
  let victim: ComponentProcess | undefined;
  return async (type: 'reconcile' | 'delete', { when, write }: Kill): Promise<boolean> => {
    victim ??= await start();
    let writes = 0;
    const rule = proxy.add({
      on: (request) => isWrite(request) && ++writes === write,
      do: { kind: 'hold', when },
    });
    const task = component.task({ type, kubeconfig: proxy.kubeconfig });
    await victim.send(task);
    const isHeld = await eventually(() => {
      if (rule.hits() > 0) return true;
      const last = environment.callbacks.reports(task.correlationID).at(-1)?.status;
      if (last === 'success') return false;
      throw new Error(`neither held nor ended: ${last}`);
    });
    if (isHeld) {
      await victim.kill();
      victim = undefined;
    }
    proxy.resume();
    return isHeld;
  };
}

async function completed(component: TestComponent, type: 'reconcile' | 'delete'): Promise<void> {
  const task = component.task({ type });
  expect(await survivor.send(task)).toBe(200);
  expect(await environment.callbacks.ended(task.correlationID)).toMatchObject({
    status: 'success',
    error: '',
  });
}

async function stateOf(group: string, namespace: string) {
  const things: ResourceType = { group, version: 'v1', kind: 'Thing', plural: 'things', namespaced: true };
  const { objects } = environment;
  const own = (name: string) => ['old', 'new', 'shared', 'one'].includes(name);
  const crd = await objects.find(customResourceDefinitions, { name: `things.${group}` });
  const listed = [
    ...(await objects.list(configMaps, namespace)),
    ...(await objects.list(secrets, namespace)),
    ...(crd === undefined ? [] : await objects.list(things, namespace)),
  ];
  return listed
    .filter(({ metadata }) => own(metadata.name) && metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .sort();
}

const group = `${uniqueName('kill')}.example.org`;

// Side by side: most of the time they wait for namespaces, of which each takes five seconds to go.
test.concurrent.each(['before', 'after'] as const)(
  'a kill %s any write of an update, and of a deletion, leaves what the next attempt completes',
  async (when) => {
    const proxy = await startApiProxy(environment.plane.kubeconfig, { token });
    proxies.push(proxy);
    const own = `${when}.${group}`;
    const component = await environment.component(chart(own, 'old'));
    const kill = createKill(proxy, component);
    const files = (version: 'old' | 'new') => ({ 'templates/all.yaml': chart(own, version) });
    const first = long || when === 'before' ? 1 : 3;
    let kills = 0;
    for (let write = first; ; write += STEP) {
      await environment.workspace.chart(component.name, files('old'));
      await completed(component, 'reconcile');
      await environment.workspace.chart(component.name, files('new'));
      if (!(await kill('reconcile', { when, write }))) break;
      kills++;
      await completed(component, 'reconcile');
      expect(await stateOf(own, component.name)).toEqual(['new', 'one', 'shared']);
    }
    for (let write = first; ; write += STEP) {
      if (!(await kill('delete', { when, write }))) break;
      kills++;
      await completed(component, 'delete');
      expect(await stateOf(own, component.name)).toEqual([]);
      await completed(component, 'reconcile');
    }
    expect(await stateOf(own, component.name)).toEqual([]);
    expect(kills).toBeGreaterThan(8 / STEP);
  },
  long ? 900_000 : 280_000,
);
