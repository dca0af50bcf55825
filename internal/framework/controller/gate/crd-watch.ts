/**
 * Watches the CRDs of some kinds. Only these are read, each when it changed. Of other CRDs, of which a cluster may
 * have thousands, only metadata is received. Kinds without a CRD are found by discovery, which has no watch.
 */

import type { Deps } from '../../base/deps.ts';
import { sleep } from '../../base/time/clock.ts';
import { dropBookkeeping } from '../../kube/cache/transform.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isServed } from '../../kube/client/discovery.ts';
import { isNotFound } from '../../kube/errors/errors.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  KubeObject,
} from '../../kube/object/object.ts';
import {
  apiVersionOf,
  customResourceDefinitions,
  groupResource,
  type ResourceType,
} from '../../kube/object/resource-type.ts';
import { createReconnectDelay } from '../../kube/watch/reflector.ts';
import type { ObjectWatcher } from '../../kube/watched-objects/object-watcher.ts';
import type { ReadVersion } from '../../kube/watched-objects/watched-versions.ts';

type State = readonly [ResourceType, Availability];

/** Interval between discoveries, in ms. */
const DISCOVERY_MS = 60_000;

const hasCrd = (type: ResourceType): boolean => type.hasCrd ?? type.group !== '';

interface CrdWatchOptions extends Pick<Deps, 'clock' | 'random'> {
  readonly client: KubeClient;
  readonly objectWatcher: ObjectWatcher;
  /** The kinds, each in the version that is used. */
  readonly types: readonly ResourceType[];
  /**
   * Called with all kinds once their state is known, then with each kind whose CRD changed, relevant or not. Must not
   * throw.
   */
  readonly onKnown: (known: readonly State[]) => void;
  /** Called if a CRD cannot be read. The last known state holds, and the read is retried. */
  readonly onProblem: (error: unknown) => void;
}

/** Starts at once. The returned function stops it. */
export function watchCrds(options: CrdWatchOptions): () => void {
  const { types, onKnown } = options;
  const stop = new AbortController();
  const known = new Map<string, readonly State[]>();
  const names = new Set(types.map(groupResource));
  const update = (name: string, states: readonly State[]) => {
    const complete = known.size === names.size;
    known.set(name, states);
    if (complete) onKnown(states);
    else if (known.size === names.size) onKnown([...known.values()].flat());
  };
  for (const name of names) {
    const ofName = types.filter((type) => groupResource(type) === name);
    const notify = (crd: Crd | undefined) => {
      const availability = crd === undefined ? undefined : availabilityOf(crd);
      update(
        name,
        ofName.map((type) => [type, availability?.get(gvkOf(type)) ?? 'absent'] as const),
      );
    };
    if (ofName.every(hasCrd)) void follow(options, name, notify, stop.signal);
    else void discover(options, ofName, (states) => update(name, states), stop.signal);
  }
  return () => stop.abort();
}

async function follow(
  { client, objectWatcher, clock, random, onProblem }: CrdWatchOptions,
  name: string,
  notify: (crd: Crd | undefined) => void,
  signal: AbortSignal,
): Promise<void> {
  const delay = createReconnectDelay({ random });
  while (!signal.aborted) {
    let crd: Crd | undefined;
    try {
      crd = await read(client, name, signal);
    } catch (error) {
      if (signal.aborted) return;
      onProblem(error);
      await sleep(clock, delay.afterFailure(error), signal).catch(() => undefined);
      continue;
    }
    if (signal.aborted) return;
    delay.afterSuccess();
    notify(crd);
    await change(objectWatcher, name, crd?.metadata.resourceVersion ?? 'absent', signal);
  }
}

async function discover(
  { client, clock, random, onProblem }: CrdWatchOptions,
  types: readonly ResourceType[],
  notify: (states: readonly State[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const delay = createReconnectDelay({ random });
  const stateOf = async (type: ResourceType): Promise<State> => [
    type,
    (await isServed(client, type, { signal })) ? 'served' : 'absent',
  ];
  while (!signal.aborted) {
    let delayMs = DISCOVERY_MS;
    try {
      notify(await Promise.all(types.map(stateOf)));
      delay.afterSuccess();
    } catch (error) {
      if (signal.aborted) return;
      onProblem(error);
      delayMs = delay.afterFailure(error);
    }
    await sleep(clock, delayMs, signal).catch(() => undefined);
  }
}

async function read(client: KubeClient, name: string, signal: AbortSignal): Promise<Crd | undefined> {
  try {
    return trimCrd(await client.get(customResourceDefinitions, { name }, { signal }));
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Resolves when the CRD differs, or may differ, from `seen`, and when the signal is aborted. */
function change(
  objectWatcher: ObjectWatcher,
  name: string,
  seen: ReadVersion,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      observation.stop();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const observation = objectWatcher.watch(customResourceDefinitions, { name }, seen, end);
    signal.addEventListener('abort', end, { once: true });
  });
}

export type Crd = CustomResourceDefinition;
export type CrdVersion = CustomResourceDefinitionVersion;

/** A kind in one version, as in metrics: `example.org/v1, Kind=Bucket`. */
export type Gvk = string;

export const gvkOf = (type: Pick<ResourceType, 'group' | 'version' | 'kind'>): Gvk =>
  `${apiVersionOf(type)}, Kind=${type.kind}`;

/**
 * - `served`: established, in this version
 * - `terminating`: the CRD is being deleted; it is served until its last object is gone
 * - `absent`: not established, or not in this version
 */
export type Availability = 'served' | 'terminating' | 'absent';

/** The versions of a CRD, and whether they are served. */
export function versionsOf({ spec }: Crd): ReadonlyMap<Gvk, boolean> {
  const { group, names, versions = [] } = spec;
  return new Map(
    versions.map(({ name, served }) => [gvkOf({ group, version: name, kind: names.kind }), served]),
  );
}

export function isEstablished({ status }: Crd): boolean {
  return status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false;
}

/** The availability of each version of a CRD. */
export function availabilityOf(crd: Crd): ReadonlyMap<Gvk, Availability> {
  const terminating = crd.metadata.deletionTimestamp !== undefined;
  const reachable: Availability = terminating ? 'terminating' : 'served';
  const established = isEstablished(crd);
  return new Map(
    [...versionsOf(crd)].map(([gvk, served]) => [gvk, established && served ? reachable : 'absent']),
  );
}

/** Drops the large fields of a CRD, i.e. the schemas, in place. Other objects are not changed. */
export function trimCrd<T extends KubeObject>(object: T): T {
  if (object.kind !== 'CustomResourceDefinition' || !isCrd(object)) return object;
  for (const version of object.spec.versions ?? []) delete version.schema;
  return dropBookkeeping(object);
}

function isCrd(object: KubeObject): object is Crd {
  return 'spec' in object && typeof object.spec === 'object' && object.spec !== null;
}
