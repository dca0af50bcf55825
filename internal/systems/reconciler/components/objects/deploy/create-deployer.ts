import { createBreather } from '../../../../../framework/base/concurrency/breather.ts';
import { inParallel, systemClock } from '../../../../../framework/base/index.ts';
import { listAll } from '../../../../../framework/kube/cache/cache.ts';
import {
  isNotFound,
  type KubeObject,
  keyOf,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';
import type { Deployer, DeployOptions, DeployTarget, Manifest } from '../../model/component.ts';
import { objectNameOf } from '../component-name.ts';
import type { Interceptor } from '../interceptors/interceptor.ts';
import { INTERCEPTORS, LABEL_COMPONENT } from '../interceptors/interceptors.ts';
import {
  type AppliedState,
  COMPLETE,
  type Inventory,
  type InventoryEntry,
  identityOfObject,
  UNKNOWN,
} from '../inventory/inventory.ts';
import { openInventory } from '../inventory/inventory-secret.ts';
import { IMPLICIT_NAMESPACE, prepareManifest, withNamespace } from '../prepare-manifest.ts';
import { identityOf, type PreparedObject } from '../prepared-object.ts';
import { awaitReady } from '../readiness/await-ready.ts';
import { hasTimeToLive } from '../readiness/check-object.ts';
import { prune } from '../removal/prune.ts';
import { ApplyError, applyObject } from './apply-object.ts';
import type { DeployerOptions, DeploySettings } from './deployer-options.ts';
import { hashOf } from './hashes.ts';
import { createLiveMetadata, type LiveMetadata } from './live-metadata.ts';
import { removeComponent } from './remove-component.ts';
import { type Stage, stagesOf } from './stages.ts';

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

/** Objects of a stage that are applied at a time: the connections to the cluster. */
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
  const live = createLiveMetadata(applied, target, signal);
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
  const failures = new Map<PreparedObject, unknown>();
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
      failures.set(each, error);
    }
  });
  if (failures.size > 0) throw new ApplyError(objects.flatMap((each) => failures.get(each) ?? []));
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
  try {
    return await cluster.client.get(type, keyOf(object), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** None if the cluster does not serve the kind. */
async function listAutoscalers(
  { cluster }: DeployTarget,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  try {
    return await listAll(cluster.client, autoscalerType, { namespace, signal });
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

const autoscalerType: ResourceType = {
  group: 'autoscaling',
  // The fields that count are the same in all versions.
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
};
