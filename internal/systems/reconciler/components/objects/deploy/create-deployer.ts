/** Deploys the objects of a component, in stages, and removes them in the reverse order. */
import { createBreather } from '../../../../../framework/base/concurrency/breather.ts';
import { type Deps, inParallel, systemClock } from '../../../../../framework/base/index.ts';
import {
  type KubeObject,
  keyOf,
  namespaces,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';
import type { Deployer, DeployOptions, DeployTarget, Manifest } from '../../model/component.ts';
import { INTERCEPTORS, type Interceptor, LABEL_COMPONENT, partsOf, targetOf } from '../interceptors.ts';
import {
  type AppliedState,
  COMPLETE,
  type Inventory,
  type InventoryEntry,
  identityOfObject,
  objectOfEntry,
  openInventory,
  UNKNOWN,
} from '../inventory.ts';
import { ifFound, isBuiltIn, isCrd, isNamespace, resolveAnyVersion } from '../known-types.ts';
import { allObjects, collectValues } from '../listed-objects.ts';
import { IMPLICIT_NAMESPACE, prepareManifest, resolveManifest, withNamespace } from '../prepare-manifest.ts';
import { identityOf, nameOf, objectNameOf, type PreparedObject } from '../prepared-object.ts';
import { awaitReady } from '../readiness/await-ready.ts';
import { hasTimeToLive } from '../readiness/check-object.ts';
import { awaitGone, type GoingObject } from '../removal/await-gone.ts';
import { deleteObject, isKeptByHelm } from '../removal/delete-object.ts';
import { prune } from '../removal/prune.ts';
import { removeNamespace } from '../removal/remove-namespace.ts';
import { ApplyError, applyObject, failureOf } from './apply-object.ts';
import { hashOf } from './hashes.ts';
import { createLiveMetadata, type LiveMetadata } from './live-metadata.ts';

export interface DeployerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** The longest time between two checks of readiness, in ms: --progress-interval; default 15 seconds. */
  readonly progressIntervalMs?: number;
  /** For readiness, and for deletions, in ms; default 10 minutes. */
  readonly progressTimeoutMs?: number;
  /** Discoveries before a kind counts as unknown; default 5, within 15 seconds. */
  readonly discoveryTries?: number;
  /** What changes objects before they are applied; default: those of all components. */
  readonly interceptors?: readonly Interceptor[];
}

/** With all defaults. */
interface DeploySettings extends Pick<Deps, 'clock' | 'log'> {
  readonly progressIntervalMs: number;
  readonly progressTimeoutMs: number;
  readonly discoveryTries: number;
  readonly interceptors: readonly Interceptor[];
}

const SECOND_MS = 1000;

export function createDeployer(options: DeployerOptions): Deployer {
  const settings: DeploySettings = {
    progressIntervalMs: 15 * SECOND_MS,
    progressTimeoutMs: 600 * SECOND_MS,
    discoveryTries: 5,
    interceptors: INTERCEPTORS,
    ...options,
  };
  return {
    deploy: async (target, manifest, each) => {
      await deployComponent(target, manifest, { ...settings, ...each });
    },
    remove: async (target, manifest, each) => {
      await removeComponent(target, manifest, { ...settings, ...each });
    },
  };
}

interface Deployed {
  /** All objects of the component, as they were applied. */
  readonly objects: readonly PreparedObject[];
  /** Those that were written. */
  readonly changed: readonly PreparedObject[];
}

/**
 * Applies the manifest, deletes what left it, and waits until its objects are ready.
 *
 * 1. All kinds are resolved, and all interceptors have run, before the first write.
 * 2. The inventory has every object before it is applied, and no longer what it was before a change, so that an attempt which ends
 *    at any request leaves no object that no inventory has, and none that counts as what it was.
 * 3. Objects that left the manifest are deleted when all others are applied.
 * 4. The inventory has the new objects alone, before their readiness is awaited.
 * 5. It has which Jobs were complete that the cluster will delete: they do not run again.
 */
async function deployComponent(
  target: DeployTarget,
  manifest: Manifest,
  options: DeploySettings & DeployOptions,
): Promise<Deployed> {
  const { cluster, component, namespace } = target;
  const { signal, log, clock, interceptors, discoveryTries, progressIntervalMs, progressTimeoutMs } = options;
  const [objects, stored] = await Promise.all([
    prepareManifest(withNamespace(manifest, namespace), {
      kinds: cluster.kinds,
      namespace: namespace || 'default',
      clock,
      signal,
      tries: discoveryTries,
    }),
    openInventory({ cluster, component, log, signal }),
  ]);
  await intercept(objects, { target, interceptors, signal });

  const before = stored.current;
  const hashes = await hashesOf(objects);
  const planned = entriesOf(objects, (identity) =>
    plannedState(before.get(identity)?.applied, hashes.get(identity)),
  );
  // Without a new object and a changed one the inventory has all of it already.
  const isKnown = ([identity, { applied }]: [string, InventoryEntry]) =>
    before.has(identity) && before.get(identity)?.applied === applied;
  if (![...planned].every(isKnown)) await stored.write(new Map([...before, ...planned]), signal);

  const { states, changed } = await applyStages(objects, { ...options, target, inventory: before, hashes });
  const released = new Set(options.released?.map(({ object }) => identityOfObject(object)));
  const left = [...before].flatMap(([identity, entry]) =>
    planned.has(identity) || released.has(identity) ? [] : [entry],
  );
  const staying = await prune(left, { target, signal, log });
  const after = new Map(entriesOf(objects, (identity) => states.get(identity)));
  for (const [identity, entry] of before) if (staying.includes(entry)) after.set(identity, entry);
  await stored.write(after, signal);

  const isEnded = ({ type, object }: PreparedObject) =>
    states.get(identityOf(type, object.metadata))?.owned === COMPLETE;
  const awaited = objects.filter((each) => !isEnded(each));
  const seen = await awaitReady(awaited, {
    ...options,
    cluster,
    intervalMs: progressIntervalMs,
    timeoutMs: progressTimeoutMs,
  });
  const complete = [...seen].filter(({ object }) => hasTimeToLive(object));
  if (complete.length > 0) await stored.write(withComplete(complete, after), signal);
  return { objects, changed };
}

async function hashesOf(objects: readonly PreparedObject[]): Promise<ReadonlyMap<string, string>> {
  const breathe = createBreather(systemClock);
  const hashes = new Map<string, string>();
  for (const { type, object } of objects)
    hashes.set(identityOf(type, object.metadata), await hashOf(object, breathe));
  return hashes;
}

/** What is known of an object while it is applied. A chart that goes back later must not find it unchanged. */
const plannedState = (applied: AppliedState | undefined, sent = ''): AppliedState | undefined =>
  applied === undefined || applied.sent === sent ? applied : { sent, owned: UNKNOWN };

function withComplete(jobs: readonly PreparedObject[], inventory: Inventory): Inventory {
  const entries = new Map(inventory);
  for (const { type, object } of jobs) {
    const identity = identityOf(type, object.metadata);
    const entry = entries.get(identity);
    if (entry?.applied !== undefined)
      entries.set(identity, { ...entry, applied: { ...entry.applied, owned: COMPLETE } });
  }
  return entries;
}

interface ApplyStagesOptions extends DeploySettings, DeployOptions {
  readonly target: DeployTarget;
  /** What was applied before. */
  readonly inventory: Inventory;
  /** Of what is sent, by identity. */
  readonly hashes: ReadonlyMap<string, string>;
}

interface AppliedStages {
  /** By identity. */
  readonly states: ReadonlyMap<string, AppliedState | undefined>;
  /** Objects that were written. */
  readonly changed: readonly PreparedObject[];
}

/** Objects of a stage that are applied or deleted at a time: the connections to the cluster. */
const WIDTH = 8;

/**
 * Applies the objects by stages. CRDs are established before the next stage.
 *
 * @throws ApplyError after all objects of a stage were tried; later stages are not begun
 */
async function applyStages(
  objects: readonly PreparedObject[],
  options: ApplyStagesOptions,
): Promise<AppliedStages> {
  const states = new Map<string, AppliedState | undefined>();
  const changed: PreparedObject[] = [];
  const { target, inventory, signal } = options;
  const applied = objects.filter(
    ({ type, object }) => inventory.get(identityOf(type, object.metadata))?.applied !== undefined,
  );
  using lists = await target.cluster.part({ signal, bytes: 0 });
  const live = createLiveMetadata(applied, { component: target.component, client: lists.client, signal });
  for (const stage of stagesOf(objects)) {
    const written = await applyStage(stage, states, { ...options, live });
    changed.push(...written);
    if (stage.name === 'CRDs' && written.length > 0) await established(written, options);
  }
  return { states, changed };
}

async function applyStage(
  { objects }: Stage,
  states: Map<string, AppliedState | undefined>,
  options: ApplyStagesOptions & { readonly live: LiveMetadata },
): Promise<readonly PreparedObject[]> {
  const { target, inventory, hashes, signal } = options;
  const failures = new Map<PreparedObject, ReturnType<typeof failureOf>>();
  let cause: unknown;
  const written: PreparedObject[] = [];
  await inParallel(objects, WIDTH, async (each) => {
    signal.throwIfAborted();
    const identity = identityOf(each.type, each.object.metadata);
    try {
      const known = { before: inventory.get(identity)?.applied, sent: hashes.get(identity) ?? '' };
      const { state, isChanged } = await applyObject(each, known, { ...options, cluster: target.cluster });
      states.set(identity, state);
      if (isChanged) written.push(each);
    } catch (error) {
      signal.throwIfAborted();
      cause ??= error;
      failures.set(each, failureOf(error));
    }
  });
  if (failures.size > 0)
    throw new ApplyError(
      objects.flatMap((each) => failures.get(each) ?? []),
      cause,
    );
  return written;
}

async function established(crds: readonly PreparedObject[], options: ApplyStagesOptions): Promise<void> {
  const { target, progressIntervalMs, progressTimeoutMs } = options;
  await awaitReady(crds, {
    ...options,
    cluster: target.cluster,
    intervalMs: progressIntervalMs,
    timeoutMs: progressTimeoutMs,
  });
  target.cluster.kinds.forget();
}

/** The entries of objects, with what is known of them. A namespace that only the component's place needs has none. */
function entriesOf(
  objects: readonly PreparedObject[],
  stateOf: (identity: string) => AppliedState | undefined,
): Inventory {
  return new Map(
    objects
      .filter(({ source }) => source !== IMPLICIT_NAMESPACE)
      .map(({ object, type }): [string, InventoryEntry] => {
        const { name, namespace } = object.metadata;
        const identity = identityOf(type, object.metadata);
        const applied = stateOf(identity);
        return [
          identity,
          {
            apiVersion: object.apiVersion,
            kind: object.kind,
            key: type.namespaced && namespace !== undefined ? { name, namespace } : { name },
            ...(applied === undefined ? {} : { applied }),
          },
        ];
      }),
  );
}

interface InterceptOptions {
  readonly target: DeployTarget;
  readonly interceptors: readonly Interceptor[];
  readonly signal: AbortSignal;
}

/**
 * Names the component in the labels of its objects, and changes them as the interceptors do, in place.
 *
 * @throws what an interceptor throws
 */
async function intercept(
  objects: readonly PreparedObject[],
  { target, interceptors, signal }: InterceptOptions,
): Promise<void> {
  const reads = new Map<string, Promise<KubeObject | undefined>>();
  const live = ({ object, type }: PreparedObject) => {
    const identity = identityOf(type, object.metadata);
    const reading = reads.get(identity) ?? read(target, { type, object }, signal);
    reads.set(identity, reading);
    return reading;
  };
  const lists = new Map<string, Promise<readonly KubeObject[]>>();
  const autoscalers = (namespace: string) => {
    const listing = lists.get(namespace) ?? listAutoscalers(target, namespace, signal);
    lists.set(namespace, listing);
    return listing;
  };
  const context = { target, objects, live, autoscalers };
  for (const prepared of objects) {
    const { metadata } = prepared.object;
    if (prepared.source !== IMPLICIT_NAMESPACE)
      metadata.labels = { ...metadata.labels, [LABEL_COMPONENT]: objectNameOf(target.component) };
  }
  const breathe = createBreather(systemClock);
  for (const interceptor of interceptors) {
    await breathe();
    // Those that read the cluster do so at the same time.
    await Promise.all(objects.map(async (each) => interceptor(each, context)));
  }
}

async function read(
  { cluster }: DeployTarget,
  { object, type }: Pick<PreparedObject, 'object' | 'type'>,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  using part = await cluster.part({ signal });
  const found = await ifFound(part.client.get(type, keyOf(object), { signal }));
  return found && partsOf(found);
}

/** None if the cluster does not serve the kind. */
function listAutoscalers(
  { cluster }: DeployTarget,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const what = `${autoscalerType.plural} of namespace ${namespace}`;
  const found = allObjects({ cluster, signal }, autoscalerType, { namespace }, what);
  return collectValues(found, (autoscaler) => [targetOf(autoscaler)], cluster);
}

const autoscalerType: ResourceType = {
  group: 'autoscaling',
  // The fields that count are the same in all versions.
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};

/** For custom resources whose controllers are deleted after them, in ms. */
const CUSTOM_RESOURCES_MS = 60_000;

/**
 * Deletes the objects of the manifest and of the inventory by stages, the last one first, and waits until they are gone; then
 * their namespaces, unless something else is in them. Kinds that the cluster does not serve have no objects. What Helm keeps stays.
 *
 * @returns what was deleted
 */
async function removeComponent(
  target: DeployTarget,
  manifest: Manifest,
  options: DeploySettings & DeployOptions,
): Promise<readonly GoingObject[]> {
  const { cluster, component, namespace } = target;
  const { signal, log, clock, progressIntervalMs, progressTimeoutMs } = options;
  const stored = await openInventory({ cluster, component, log, signal });
  const place = namespace || 'default';
  const { prepared } = await resolveManifest(manifest, {
    kinds: cluster.kinds,
    namespace: place,
    clock,
    signal,
  });
  const known = new Set([
    ...prepared.map(({ type, object }) => identityOf(type, object.metadata)),
    ...(options.released ?? []).map(({ object }) => identityOfObject(object)),
  ]);
  const others: PreparedObject[] = [];
  for (const [identity, entry] of stored.current) {
    const type = known.has(identity) ? undefined : await resolveAnyVersion(cluster.kinds, entry, signal);
    if (type !== undefined) others.push({ object: objectOfEntry(entry), type, source: 'the inventory' });
  }

  const wait = { ...options, cluster, intervalMs: progressIntervalMs, timeoutMs: progressTimeoutMs };
  const emptied = new Set([place]);
  const going: GoingObject[] = [];
  const keptIn = new Set<string | undefined>();
  for (const { name, objects } of stagesOf([...prepared, ...others]).toReversed()) {
    if (name === 'namespaces') {
      for (const { object } of objects) emptied.add(object.metadata.name);
      continue;
    }
    const { deleted, kept } = await deleteStage(objects.toReversed(), target, signal);
    going.push(...deleted);
    for (const { object } of kept) {
      keptIn.add(object.metadata.namespace);
      log.info('an object of a removed component is kept', { cluster: cluster.name, object: nameOf(object) });
    }
    const timeoutMs = Math.min(CUSTOM_RESOURCES_MS, progressTimeoutMs);
    if (name === 'custom resources' && deleted.length > 0) await awaitGone(deleted, { ...wait, timeoutMs });
  }
  if (going.length > 0) await awaitGone(going, wait);

  const goingNamespaces: GoingObject[] = [];
  for (const name of emptied) {
    if (keptIn.has(name) || !(await removeNamespace(name, { cluster, component, log, signal }))) continue;
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    goingNamespaces.push({ type: namespaces, key: { name }, object });
  }
  if (goingNamespaces.length > 0) await awaitGone(goingNamespaces, wait);
  await stored.delete(signal);
  return [...going, ...goingNamespaces];
}

/** @throws ApplyError after all objects were tried */
async function deleteStage(
  objects: readonly PreparedObject[],
  { cluster, component }: DeployTarget,
  signal: AbortSignal,
): Promise<{ readonly deleted: readonly GoingObject[]; readonly kept: readonly PreparedObject[] }> {
  const deleted: GoingObject[] = [];
  const kept: PreparedObject[] = [];
  const failures: ReturnType<typeof failureOf>[] = [];
  let cause: unknown;
  const isKept = async (live: KubeObject) => isKeptByHelm(live);
  await inParallel(objects, WIDTH, async (each) => {
    const { object, type } = each;
    signal.throwIfAborted();
    const { name, namespace } = object.metadata;
    const key = type.namespaced && namespace !== undefined ? { name, namespace } : { name };
    try {
      const deletion = await deleteObject(type, key, { cluster, component, signal, isKept });
      if (deletion.state === 'kept') kept.push(each);
      if (deletion.state === 'deleted') {
        const { uid } = deletion;
        const metadata = { ...key, ...(uid === undefined ? {} : { uid }) };
        deleted.push({ type, key, object: { apiVersion: object.apiVersion, kind: object.kind, metadata } });
      }
    } catch (error) {
      signal.throwIfAborted();
      cause ??= error;
      failures.push(failureOf(error));
    }
  });
  if (failures.length > 0) throw new ApplyError(failures, cause);
  return { deleted, kept };
}

/** Objects that are applied at the same time, after those of all earlier stages. */
interface Stage {
  readonly name: StageName;
  readonly objects: readonly PreparedObject[];
}

/** In the order in which they are applied. Objects are deleted in the reverse order. */
const STAGES = [
  'namespaces',
  'CRDs',
  'prerequisites',
  'basics',
  'workloads',
  'webhooks',
  'custom resources',
] as const;
type StageName = (typeof STAGES)[number];

const WORKLOADS: ReadonlySet<string> = new Set([
  'apps/DaemonSet',
  'apps/Deployment',
  'apps/ReplicaSet',
  'apps/StatefulSet',
  'autoscaling/HorizontalPodAutoscaler',
  'batch/CronJob',
  'batch/Job',
  '/Pod',
  '/ReplicationController',
  'networking.k8s.io/Ingress',
  'apiregistration.k8s.io/APIService',
]);
/** What is looked at when other objects are created; and accounts, without which their tokens would be deleted. */
const PREREQUISITES: ReadonlySet<string> = new Set([
  '/LimitRange',
  '/ResourceQuota',
  '/ServiceAccount',
  'networking.k8s.io/NetworkPolicy',
  'networking.k8s.io/IngressClass',
  'scheduling.k8s.io/PriorityClass',
  'storage.k8s.io/StorageClass',
]);
const WEBHOOKS = 'admissionregistration.k8s.io';

/**
 * The objects by what they need: pods need the Secrets, ConfigMaps and accounts beside them. The stages keep the order of Helm's
 * kinds as far as an API server or a controller depends on it.
 */
function stagesOf(objects: readonly PreparedObject[]): readonly Stage[] {
  const byStage = Map.groupBy(objects, stageOf);
  return STAGES.flatMap((name) => {
    const found = byStage.get(name);
    return found === undefined ? [] : [{ name, objects: found }];
  });
}

function stageOf({ type }: PreparedObject): StageName {
  const name = `${type.group}/${type.kind}`;
  if (isNamespace(type)) return 'namespaces';
  if (isCrd(type)) return 'CRDs';
  if (type.group === WEBHOOKS) return 'webhooks';
  if (WORKLOADS.has(name)) return 'workloads';
  if (PREREQUISITES.has(name)) return 'prerequisites';
  return isBuiltIn(type) ? 'basics' : 'custom resources';
}
