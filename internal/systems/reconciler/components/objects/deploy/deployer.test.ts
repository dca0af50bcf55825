/** The life of the objects of a component on an API server in memory, where copies of others stand beside each of them. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { nopLogger } from '../../../../../framework/base/telemetry/logger.ts';
import { systemClock } from '../../../../../framework/base/time/clock.ts';
import { createMemoryClient } from '../../../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import {
  configMaps,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../../framework/kube/object/resource-type.ts';
import type { DeployTarget } from '../../model/deployer.ts';
import type { Manifest } from '../../model/manifest.ts';
import { createDeployer } from './create-deployer.ts';

const widgets: ResourceType = {
  group: 'example.org',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
};
const clusterRoles: ResourceType = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
};
const TYPES = [namespaces, configMaps, secrets, widgets, clusterRoles];
const LABEL = 'reconciler.kyma-project.io/component';

const apiVersionOf = ({ group, version }: ResourceType) => (group === '' ? version : `${group}/${version}`);
const objectOf = (type: ResourceType, name: string, more: object = {}): KubeObject => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  metadata: { name, namespace: 'shop' },
  ...more,
});
const manifestOf = (...objects: readonly KubeObject[]): Manifest =>
  objects.map((object) => ({ object, source: 'chart/templates/a.yaml' }));

function setUp() {
  const client = createMemoryClient({ clock: systemClock });
  const kinds = {
    find: async (apiVersion: string, kind: string) =>
      TYPES.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    // None is in the category `all`.
    all: async ({ category }: { readonly category?: string }) => (category === undefined ? TYPES : []),
    apiVersions: async () => [],
    forget: () => undefined,
  };
  const target: DeployTarget = {
    cluster: { name: 'c', client, kinds, capabilities: async () => undefined, close: async () => undefined },
    component: 'istio',
    namespace: 'shop',
    version: '1',
  };
  const deployer = createDeployer({ clock: systemClock, log: nopLogger, progressIntervalMs: 1 });
  const options = { signal: new AbortController().signal };
  return {
    client,
    deploy: (...objects: readonly KubeObject[]) => deployer.deploy(target, manifestOf(...objects), options),
    remove: (...objects: readonly KubeObject[]) => deployer.remove(target, manifestOf(...objects), options),
    names: (type: ResourceType) => client.peekAll(type).map(({ metadata }) => metadata.name),
  };
}

const [first, second] = [objectOf(configMaps, 'first', { data: { a: '1' } }), objectOf(configMaps, 'second')];
const changed = objectOf(configMaps, 'first', { data: { a: '2' } });
const widget = objectOf(widgets, 'w', { spec: { size: 1 } });

/** As the garbage collector of a cluster does, which an API server in memory does not have. */
async function endDeletion(client: ReturnType<typeof createMemoryClient>, name: string): Promise<void> {
  while (client.peek(namespaces, { name })?.metadata.deletionTimestamp === undefined) await setImmediate();
  await client.otherProgram().mergePatch(namespaces, { name }, { metadata: { finalizers: null } });
}

test('objects are applied, those that left the manifest are deleted, and at last all are', async () => {
  const { client, deploy, remove, names } = setUp();
  await deploy(first, second, widget);
  expect(names(configMaps)).toEqual(['first', 'second']);
  await deploy(changed, widget);
  expect(names(configMaps)).toEqual(['first']);
  await Promise.all([remove(first, widget), endDeletion(client, 'shop')]);
  for (const type of TYPES) expect(names(type)).toEqual([]);
});

test('fields that another one set on a custom resource go with the next change of the chart', async () => {
  const { client, deploy } = setUp();
  await deploy(first, widget);
  const key = { namespace: 'shop', name: 'w' };
  const theirs = objectOf(widgets, 'w', { spec: { colour: 'red' } });
  await client.otherProgram().apply(widgets, theirs, { fieldManager: 'users', force: true });
  await deploy(first, objectOf(widgets, 'w', { spec: { size: 2 } }));
  expect(client.peek<KubeObject & { spec?: object }>(widgets, key)?.spec).toEqual({ size: 2 });
});

test('an object of another component is neither deleted with the component nor when it leaves its manifest', async () => {
  const { client, deploy, remove, names } = setUp();
  await deploy(first, second);
  const labels = { [LABEL]: 'component-other' };
  for (const name of ['first', 'second'])
    await client.otherProgram().mergePatch(configMaps, { namespace: 'shop', name }, { metadata: { labels } });
  const before = names(configMaps);
  await remove(first, second);
  expect(names(configMaps)).toEqual(before);
});

test('an object that Helm keeps stays when its component is removed, and so does its namespace', async () => {
  const { deploy, remove, names } = setUp();
  const annotations = { 'helm.sh/resource-policy': ' Keep' };
  const kept = objectOf(configMaps, 'kept', { metadata: { name: 'kept', namespace: 'shop', annotations } });
  await deploy(first, kept);
  await remove(first, kept);
  expect(names(configMaps)).toEqual(['kept']);
  expect(names(namespaces)).toEqual(['shop']);
});

test('a namespace that Helm keeps stays when its component is removed', async () => {
  const { deploy, remove, names } = setUp();
  const annotations = { 'helm.sh/resource-policy': 'keep' };
  const shop = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', annotations } };
  await deploy(shop, first);
  await remove(shop, first);
  expect(names(configMaps)).toEqual([]);
  expect(names(namespaces)).toEqual(['shop']);
});

test('rules that the cluster aggregates stay, and are no reason to write', async () => {
  const { client, deploy } = setUp();
  const rule = (verb: string) => ({ apiGroups: [''], resources: ['pods'], verbs: [verb] });
  const role = (verb: string) => ({
    apiVersion: apiVersionOf(clusterRoles),
    kind: 'ClusterRole',
    metadata: { name: 'viewer' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] },
    rules: [rule(verb)],
  });
  await deploy(role('get'));
  const fieldManager = 'clusterrole-aggregation-controller';
  await client.otherProgram().apply(clusterRoles, role('list'), { fieldManager, force: true });
  const before = client.peek(clusterRoles, { name: 'viewer' });
  await deploy(role('get'));
  expect(client.peek(clusterRoles, { name: 'viewer' })).toEqual(before);
  expect(before).toMatchObject({ rules: [rule('list')] });
});
