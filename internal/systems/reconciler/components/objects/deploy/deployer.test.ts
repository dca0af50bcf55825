/** The life of the objects of a component on an API server in memory, where copies of others stand beside each of them. */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { ErrorKind } from '../../../../../framework/base/errors/errors.ts';
import { collectGarbage } from '../../../../../framework/base/heap.fixture.ts';
import { nopLogger } from '../../../../../framework/base/telemetry/telemetry.ts';
import { type Clock, systemClock } from '../../../../../framework/base/time/clock.ts';
import { createFakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import type { KubeClient } from '../../../../../framework/kube/client/client.ts';
import { type ApiStatus, KubeApiError } from '../../../../../framework/kube/errors/errors.ts';
import { createMemoryClient } from '../../../../../framework/kube/fakes/memory-client.ts';
import type { KubeObject } from '../../../../../framework/kube/object/object.ts';
import {
  configMaps,
  customResourceDefinitions,
  namespaces,
  type ResourceType,
  secrets,
} from '../../../../../framework/kube/object/resource-type.ts';
import { uncountedCluster } from '../../clusters/uncounted-cluster.ts';
import type { DeployTarget, Kinds, Manifest } from '../../model/component.ts';
import { FIELD_MANAGER } from '../managed-fields.ts';
import { ApplyError } from './apply-object.ts';
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
const classes: ResourceType = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
};
const jobs: ResourceType = { group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', namespaced: true };
const TYPES: readonly ResourceType[] = [
  ...[namespaces, configMaps, secrets, widgets, clusterRoles, classes, jobs],
  customResourceDefinitions,
];
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

const clusterOf = (client: KubeClient, kinds: Kinds) =>
  uncountedCluster({
    name: 'c',
    client,
    kinds,
    capabilities: async () => undefined,
    close: async () => undefined,
  });

function setUp({
  clock = systemClock,
  progressIntervalMs = 1,
}: {
  readonly clock?: Clock;
  readonly progressIntervalMs?: number;
} = {}) {
  /** Kinds that are not known before the next discovery. */
  const late = new Set<ResourceType>();
  const client = createMemoryClient({ clock: systemClock });
  const kinds = {
    find: async (apiVersion: string, kind: string) =>
      TYPES.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion),
    // None is in the category `all`.
    all: async ({ category }: { readonly category?: string }) =>
      category === undefined ? TYPES.filter((type) => !late.has(type)) : [],
    apiVersions: async () => [],
    forget: () => late.clear(),
  };
  const target: DeployTarget = {
    cluster: clusterOf(client, kinds),
    component: 'istio',
    namespace: 'shop',
    version: '1',
  };
  const deployer = createDeployer({ clock, log: nopLogger, progressIntervalMs });
  const releasing = (...released: readonly KubeObject[]) => {
    const options = { signal: new AbortController().signal, released: manifestOf(...released) };
    return {
      deploy: (...objects: readonly KubeObject[]) => deployer.deploy(target, manifestOf(...objects), options),
      remove: (...objects: readonly KubeObject[]) => deployer.remove(target, manifestOf(...objects), options),
    };
  };
  return {
    client,
    target,
    deployer,
    late,
    releasing,
    ...releasing(),
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

test('a chart that goes back after a deployment that failed in the middle is applied again', async () => {
  const { client, deploy } = setUp();
  await deploy(first, widget);
  const refuse = client.onRequest(({ verb, type }) => {
    if (verb === 'apply' && type.kind === widgets.kind)
      throw new KubeApiError({ verb, object: 'Widget w', clusterName: 'c' }, { httpStatus: 403 });
  });
  await expect(deploy(changed, objectOf(widgets, 'w', { spec: { size: 2 } }))).rejects.toThrow();
  refuse();
  await deploy(first, widget);
  const key = { namespace: 'shop', name: 'first' };
  expect(client.peek<KubeObject & { data?: object }>(configMaps, key)?.data).toEqual({ a: '1' });
});

test('of what a hostile API server says of thousands of objects little is kept', async () => {
  const { client, target, deployer } = setUp();
  /** What is alive of the errors, while their stage goes on. */
  const said: WeakRef<object>[] = [];
  client.onRequest(({ verb, type }) => {
    if (verb !== 'apply' || type !== configMaps) return;
    const details = { causes: Array.from({ length: 50 }, (_, n) => ({ field: `f${n}`, message: 'm' })) };
    said.push(new WeakRef(details));
    const status = {
      kind: 'Status',
      reason: 'Invalid',
      message: 'm'.repeat(2000),
      details,
    } as unknown as ApiStatus;
    throw new KubeApiError({ verb, object: 'a ConfigMap', clusterName: 'c' }, { httpStatus: 422, status });
  });
  const objects = Array.from({ length: 200 }, (_, n) => objectOf(configMaps, `a${n}`));
  const { signal } = new AbortController();
  const deployed = deployer.deploy(target, manifestOf(...objects), { signal });
  const error = await deployed.catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('and 190 other objects');
  await setImmediate();
  collectGarbage();
  expect(said).toHaveLength(200);
  expect(said.filter((each) => each.deref() !== undefined).length).toBeLessThan(20);
});

test.each(['labels', 'annotations'] as const)(
  'what another component, with the same field manager, has changed in %s is put right',
  async (field) => {
    const { client, deploy } = setUp();
    const marks = { labels: { mark: 'own' }, annotations: { mark: 'own' } };
    const own = objectOf(configMaps, 'first', { metadata: { name: 'first', namespace: 'shop', ...marks } });
    const stored = () => client.peek(configMaps, { namespace: 'shop', name: 'first' });
    await deploy(own);
    const { labels = {}, annotations = {} } = stored()?.metadata ?? {};
    const metadata = { ...own.metadata, labels, annotations };
    const other = { ...own, metadata: { ...metadata, [field]: { ...metadata[field], mark: 'other' } } };
    await client.otherProgram().apply(configMaps, other, { fieldManager: FIELD_MANAGER, force: true });
    expect(stored()?.metadata[field]?.mark).toBe('other');
    await deploy(own);
    expect(stored()?.metadata).toMatchObject(marks);
  },
);

test('an object that is being deleted is applied again, though it is as it was applied', async () => {
  const { client, deploy } = setUp();
  const key = { namespace: 'shop', name: 'first' };
  const applies = () =>
    client.requests.filter(({ verb, type }) => verb === 'apply' && type === configMaps).length;
  await deploy(first);
  await client.otherProgram().mergePatch(configMaps, key, { metadata: { finalizers: ['example.org/held'] } });
  await deploy(first);
  const before = applies();
  await deploy(first);
  expect(applies()).toBe(before);
  await client.otherProgram().delete(configMaps, key);
  await deploy(first);
  expect(applies()).toBe(before + 1);
});

test('what custom resources need is deleted when they are gone', async () => {
  const { client, deploy, remove, names } = setUp();
  await deploy(first, widget);
  const key = { namespace: 'shop', name: 'w' };
  const own = client.otherProgram();
  await own.mergePatch(widgets, key, { metadata: { finalizers: ['example.org/operator'] } });
  const removed = remove(first, widget);
  while (client.peek(widgets, key)?.metadata.deletionTimestamp === undefined) await setImmediate();
  for (let turn = 0; turn < 50; turn++) await setImmediate();
  expect(names(configMaps)).toEqual(['first']);
  await own.mergePatch(widgets, key, { metadata: { finalizers: null } });
  await Promise.all([removed, endDeletion(client, 'shop')]);
  expect(names(configMaps)).toEqual([]);
});

test('what custom resources need is deleted after a minute, though they hang', async () => {
  const clock = createFakeClock();
  const { client, deploy, remove, names } = setUp({ clock, progressIntervalMs: 5000 });
  const key = { namespace: 'shop', name: 'w' };
  const own = client.otherProgram();
  await Promise.all([deploy(first, widget), clock.advance(1000)]);
  await own.mergePatch(widgets, key, { metadata: { finalizers: ['example.org/operator'] } });
  let isRemoved = false;
  const removed = remove(first, widget).then(() => {
    isRemoved = true;
  });
  const pass = async (seconds: number) => {
    for (let left = seconds; left > 0; left--) {
      for (let turn = 0; turn < 50; turn++) await setImmediate();
      await clock.advance(1000);
    }
  };
  await pass(59);
  expect(names(configMaps)).toEqual(['first']);
  await pass(10);
  expect([names(configMaps), isRemoved]).toEqual([[], false]);
  await own.mergePatch(widgets, key, { metadata: { finalizers: null } });
  await Promise.all([removed, endDeletion(client, 'shop'), pass(20)]);
});

test('a removal waits for no object that another one has created under the name since', async () => {
  const { client, deploy, remove, names } = setUp();
  await deploy(first, widget);
  const other = objectOf(configMaps, 'first', {
    metadata: { name: 'first', namespace: 'shop', labels: { [LABEL]: 'component-other' } },
  });
  client.onRequest(({ verb, type }) => {
    if (
      verb === 'get' &&
      type === configMaps &&
      client.peek(configMaps, other.metadata as never) === undefined
    )
      client.seed(configMaps, other);
  });
  await Promise.all([remove(first, widget), endDeletion(client, 'shop')]);
  expect(names(configMaps)).toEqual(['first']);
});

test('a namespace that leaves its chart stays while it has objects of a kind that is new in the cluster', async () => {
  const { client, deploy, late, names } = setUp();
  const team = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
  await deploy(first, team);
  client.seed(widgets, objectOf(widgets, 'own', { metadata: { name: 'own', namespace: 'team' } }));
  late.add(widgets);
  await deploy(first);
  expect(names(namespaces)).toContain('team');
  await client.otherProgram().delete(widgets, { namespace: 'team', name: 'own' });
  await deploy(first);
  expect(names(namespaces)).not.toContain('team');
});

test('a CRD that leaves its chart stays while it has objects, or none of its versions is served', async () => {
  const { client, deploy, names } = setUp();
  const own = client.otherProgram();
  const key = { name: 'widgets.example.org' };
  const versions = (served: boolean) => [{ name: 'v1', served, storage: true }];
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: key,
    spec: { group: 'example.org', names: { kind: 'Widget', plural: 'widgets' }, versions: versions(true) },
  };
  client.onRequest(async ({ verb, type }) => {
    if (verb !== 'get' || type !== customResourceDefinitions || !names(type).includes(key.name)) return;
    const status = { conditions: [{ type: 'Established', status: 'True' }] };
    await own.mergePatch(customResourceDefinitions, key, { status }, { subresource: 'status' });
  });
  const isThere = async () => {
    await deploy(first);
    return names(customResourceDefinitions).length === 1;
  };
  await deploy(first, crd);
  client.seed(widgets, widget);
  expect(await isThere()).toBe(true);
  await own.delete(widgets, { namespace: 'shop', name: 'w' });
  await own.mergePatch(customResourceDefinitions, key, { spec: { versions: versions(false) } });
  expect(await isThere()).toBe(true);
  await own.mergePatch(customResourceDefinitions, key, { spec: { versions: versions(true) } });
  expect(await isThere()).toBe(false);
});

test('an object of the cluster stays, though its chart gives it a namespace', async () => {
  const { client, deploy, remove, names } = setUp();
  const viewer = objectOf(clusterRoles, 'viewer', { apiVersion: 'rbac.authorization.k8s.io/v1' });
  const storage = objectOf(classes, 'fast');
  for (let run = 0; run < 3; run++) {
    await deploy(first, viewer, storage);
    expect([names(clusterRoles), names(classes)]).toEqual([['viewer'], ['fast']]);
  }
  await Promise.all([remove(first, viewer, storage), endDeletion(client, 'shop')]);
  expect([names(clusterRoles), names(classes)]).toEqual([[], []]);
});

test('a label goes that the chart does not give its namespace any more', async () => {
  const { client, deploy } = setUp();
  const shop = (labels: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', labels },
  });
  await deploy(shop({ a: '1', b: '2' }));
  await deploy(shop({ a: '1' }));
  const labels = client.peek(namespaces, { name: 'shop' })?.metadata.labels;
  expect([labels?.a, labels?.b]).toEqual(['1', undefined]);
  const written = client.requests.length;
  await deploy(shop({ a: '1' }));
  expect(client.requests.slice(written).filter(({ verb }) => verb !== 'get' && verb !== 'list')).toEqual([]);
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

test('an object that something else manages by now stays when it leaves its manifest, and when its component is removed', async () => {
  const { client, deploy, remove, names, releasing } = setUp();
  const viewer = { ...objectOf(clusterRoles, 'viewer'), metadata: { name: 'viewer' } };
  await deploy(first, viewer);
  await releasing(viewer).deploy(first);
  expect(names(clusterRoles)).toEqual(['viewer']);
  await deploy(first, viewer);
  await Promise.all([releasing(viewer).remove(first), endDeletion(client, 'shop')]);
  expect(names(clusterRoles)).toEqual(['viewer']);
  await deploy(first, viewer);
  await Promise.all([remove(first), endDeletion(client, 'shop')]);
  expect(names(clusterRoles)).toEqual([]);
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

/** As the controllers of a cluster: a Job ends as soon as it is there, and goes with its time to live. */
function runJobs(client: ReturnType<typeof createMemoryClient>, { ends = true } = {}) {
  const run = client.otherProgram();
  const ran: (string | undefined)[] = [];
  const key = { namespace: 'shop', name: 'migrate' };
  client.onRequest(({ verb, type }) => {
    if (verb !== 'get' || type.kind !== jobs.kind) return;
    const job = client.peek(jobs, key);
    if (job === undefined || 'status' in job) return;
    ran.push(job.metadata.uid);
    const status = { conditions: [{ type: ends ? 'Complete' : 'Failed', status: 'True' }] };
    return run.mergePatch(jobs, key, { status }, { subresource: 'status' }).then(() => undefined);
  });
  return { ran, expire: () => run.delete(jobs, key) };
}
const migrate = (image: string) =>
  objectOf(jobs, 'migrate', { spec: { ttlSecondsAfterFinished: 60, template: { spec: { image } } } });

test('a Job that was complete and went with its time to live does not run again until its content changes', async () => {
  const { client, deploy, names } = setUp();
  const { ran, expire } = runJobs(client);
  await deploy(migrate('one'), first);
  await expire();
  const written = client.requests.length;
  await deploy(migrate('one'), first);
  expect([ran.length, names(jobs)]).toEqual([1, []]);
  expect(client.requests.slice(written).filter(({ verb }) => verb !== 'get' && verb !== 'list')).toEqual([]);
  await deploy(migrate('two'), first);
  expect([ran.length, names(jobs)]).toEqual([2, ['migrate']]);
});

test('a Job that failed and went runs again', async () => {
  const { client, deploy } = setUp();
  const { ran, expire } = runJobs(client, { ends: false });
  await expect(deploy(migrate('one'))).rejects.toThrow('it failed');
  await expire();
  await expect(deploy(migrate('one'))).rejects.toThrow('it failed');
  expect(ran).toHaveLength(2);
});

test('a Job that goes as soon as it ends is not awaited for ever', async () => {
  const { client, deploy } = setUp();
  client.onRequest(({ verb, type }) => {
    if (
      verb !== 'get' ||
      type.kind !== jobs.kind ||
      client.peek(jobs, { namespace: 'shop', name: 'migrate' }) === undefined
    )
      return;
    return client
      .otherProgram()
      .delete(jobs, { namespace: 'shop', name: 'migrate' })
      .then(() => undefined);
  });
  await deploy(migrate('one'));
});

test.each<[string, () => { items: KubeObject[]; continue: string }, message: string]>([
  [
    'pages without end',
    () => ({ items: [], continue: 'more' }),
    'cannot list horizontalpodautoscalers of namespace shop: there are too many pages',
  ],
  [
    'very many in each page',
    () => ({ items: Array.from({ length: 20_000 }, (_, n) => objectOf(widgets, `a${n}`)), continue: 'more' }),
    'the cluster has more than 20000 objects of a kind',
  ],
])('a cluster whose autoscalers have %s is refused', async (_, page, message) => {
  const { client, target, deployer } = setUp();
  let listed = 0;
  const list = async () => {
    if (++listed > 20_000) throw new Error('the pages were read on and on');
    return { resourceVersion: '1', ...page() };
  };
  const cluster = clusterOf({ ...client, list: list as typeof client.list }, target.cluster.kinds);
  const scaled = objectOf(widgets, 'w', { spec: { replicas: 1 } });
  await expect(
    deployer.deploy({ ...target, cluster }, manifestOf(scaled), { signal: new AbortController().signal }),
  ).rejects.toThrow(message);
});

test('several objects that cannot be applied: it is final if one of them is, and their texts are few', () => {
  const errorOf = (...kinds: ErrorKind[]) =>
    new ApplyError(
      kinds.map((kind, n) => ({ kind, message: `no ${n}` })),
      new Error('one of them'),
    );
  expect(errorOf('transient', 'terminal').kind).toBe('terminal');
  expect(errorOf('throttled', 'transient').kind).toBe('throttled');
  const many = errorOf(...Array.from({ length: 12 }, () => 'transient' as const));
  expect(many.message).toMatch(/no 9; and 2 other objects$/);
});
