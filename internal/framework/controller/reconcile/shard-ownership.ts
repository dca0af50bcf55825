/**
 * Which shard owns an object, where several processes share the objects of a kind by their labels. Each shard has one
 * process that writes (a Lease ensures it), and each object names its shard owner in an annotation. A shard that acquires
 * ownership writes nothing external before all requests of the previous owner have ended.
 *
 * Invariants:
 * - Each external write follows an ownership check (write-guard.ts): the API server showed that this shard owns the object.
 *   A write may begin for as long after its check as external calls may take, and has ended a little later.
 * - Acquiring ownership is a write of the same object, so that no check of the previous owner can succeed after it. After
 *   the ownership delay, counted from that write, the new owner is the only one.
 * - The delay is measured by the process that waits, by its own monotonic clock; the time in the annotation is for people.
 *   Another process of the shard that finds an acquisition unfinished waits for the whole delay from its first read of it.
 */
import { PostponedError } from '../../base/concurrency/fence.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { cloneJson } from '../../base/json/json-value.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { createKeyStore, type KeyStore } from '../key-store.ts';
import { ownershipDelayOf, type ShardLabels } from './reconciler.ts';
import type { WithStatus, WorkingCopy } from './working-copy.ts';
import { notOwned, type UnshardedWriteGuard, type WriteGuard } from './write-guard.ts';

/**
 * The label selector of the shard whose process may write externally for the object. Absent: the process without a
 * selector.
 */
export const annotationShardOwner = 'kyma.orchestrate.cloud.sap/shard-owner';
/** When that shard acquired ownership; present during the ownership delay. */
export const annotationShardOwnerPending = 'kyma.orchestrate.cloud.sap/shard-owner-pending';
/** Their former names. An annotation that has one is read, and replaced by the owner. */
const formerNames = {
  [annotationShardOwner]: 'crossplane.io/external-writer',
  [annotationShardOwnerPending]: 'crossplane.io/external-writer-pending',
} as const;
export const shardAnnotations: readonly string[] = Object.entries(formerNames).flat();

type Ownership =
  /** No process has written anything for the object: the first write of this shard names it as the owner. */
  | { readonly state: 'unclaimed' }
  | { readonly state: 'own' }
  /** Another shard owns it: ownership must be acquired. */
  | { readonly state: 'foreign' }
  /** This shard owned it, another one acquired it, and its labels still select it here. */
  | { readonly state: 'lost' }
  /** Acquired; requests of the previous owner may still be in flight. */
  | { readonly state: 'delayed'; readonly remainingMs: number }
  /** Own, with an outdated record: the ownership delay is over, or the annotations have their former names. */
  | { readonly state: 'unrecorded' };

/** What the process of one shard knows of its ownership of the objects of one kind. */
interface ShardOwnership {
  /** The shard's label selector; empty: the only process, which selects all objects. */
  readonly shard: string;
  /** How long a new owner writes nothing externally, in ms. */
  readonly delayMs: number;
  /** The shard that owns the object, by its label selector; empty: the process without a selector. */
  ownerOf(object: KubeObject): string;
  of(key: string, object: KubeObject): Ownership;
  /** Names this shard as the owner, in memory. */
  stageOwner(object: KubeObject): void;
  /** The same with the beginning of the ownership delay; to be stored by a write of this very version. */
  stageAcquisition(key: string, object: KubeObject): void;
  /** The acquisition is stored: the ownership delay begins. */
  onAcquired(key: string, object: KubeObject): void;
  /** Records that this shard owns the object, without a delay, in memory. */
  stageRecord(object: KubeObject): void;
  /** Drops the state of the key: its object has left the cache, however short. */
  forget(key: string): void;
}

interface ShardOwnershipOptions extends Pick<Deps, 'clock'> {
  /** The label selector by which this process selects its objects; empty: all of them. */
  readonly shard: string;
  /** Upper bound for writes still in flight after an ownership check, in ms. */
  readonly delayMs: number;
  /** Objects with this finalizer may have external resources. */
  readonly finalizer: string;
  /** Where what is known of each object is kept; default: a store of its own. */
  readonly keys?: KeyStore;
}

/** About the object with this uid, not about others that had its name before. */
interface Memory {
  readonly uid: string | undefined;
  /** The acquisition in progress, by the value of its annotation. */
  delay?: { readonly pending: string; readonly until: number };
  /** When ownership that was lost may be acquired again. */
  lostUntil?: number;
}

/**
 * Number of ownership delays before a shard acquires again what another one acquired while both select it: during one
 * of them the other one is delayed, during the second one it may write.
 */
const LOST_FOR_DELAYS = 2;

export function createShardOwnership(options: ShardOwnershipOptions): ShardOwnership {
  const { clock, shard, delayMs, finalizer } = options;
  const memories = (options.keys ?? createKeyStore()).values<Memory>('shard ownership');
  const known = (key: string, { metadata: { uid } }: KubeObject) => {
    const memory = memories.get(key);
    return memory?.uid === uid ? memory : undefined;
  };
  const remember = (key: string, object: KubeObject): Memory => {
    const memory = known(key, object) ?? { uid: object.metadata.uid };
    memories.set(key, memory);
    return memory;
  };
  const delayOf = (key: string, object: KubeObject): number => {
    const memory = remember(key, object);
    delete memory.lostUntil;
    const pending = pendingOf(object) ?? '';
    if (memory.delay?.pending !== pending) memory.delay = { pending, until: clock.monotonic() + delayMs };
    return memory.delay.until;
  };
  const whenNotOwn = (key: string, object: KubeObject): Ownership => {
    const memory = known(key, object);
    if (memory === undefined) return { state: 'foreign' };
    memory.lostUntil ??= clock.monotonic() + LOST_FOR_DELAYS * delayMs;
    return { state: clock.monotonic() < memory.lostUntil ? 'lost' : 'foreign' };
  };
  return {
    shard,
    delayMs,
    ownerOf: (object) => ownerOf(object) ?? '',
    of: (key, object) => {
      const owner = ownerOf(object);
      const pending = pendingOf(object);
      if (owner === undefined && pending === undefined && shard !== '') {
        if (!object.metadata.finalizers?.includes(finalizer)) return { state: 'unclaimed' };
        return whenNotOwn(key, object);
      }
      if ((owner ?? '') !== shard) return whenNotOwn(key, object);
      if (pending !== undefined) {
        const remainingMs = delayOf(key, object) - clock.monotonic();
        return remainingMs > 0 ? { state: 'delayed', remainingMs } : { state: 'unrecorded' };
      }
      // A new object: without its fields the old one would become a V8 dictionary, for every object.
      memories.set(key, { uid: object.metadata.uid });
      return { state: hasFormerNames(object) ? 'unrecorded' : 'own' };
    },
    stageOwner: (object) => setOwner(object, shard),
    stageAcquisition: (key, object) => {
      setOwner(object, shard);
      annotate(object, annotationShardOwnerPending, formatTimestamp(clock.now()));
      // Should the response be lost, the acquisition counts from the first read of it.
      memories.delete(key);
    },
    onAcquired: (key, object) => void delayOf(key, object),
    stageRecord: (object) => {
      setOwner(object, shard);
      annotate(object, annotationShardOwnerPending, undefined);
    },
    forget: (key) => void memories.delete(key),
  };
}

/** A copy without a shard owner, for a plan of what any process would do. */
export function withoutShardOwner<T extends KubeObject>(object: T): T {
  const copy = cloneJson(object);
  annotate(copy, annotationShardOwner, undefined);
  annotate(copy, annotationShardOwnerPending, undefined);
  return copy;
}

/** Whether a shard owns the object, or a process acquires it. */
const hasShardOwner = (object: KubeObject): boolean =>
  ownerOf(object) !== undefined || pendingOf(object) !== undefined;

type Name = keyof typeof formerNames;

const read = ({ metadata: { annotations } }: KubeObject, name: Name): string | undefined =>
  annotations?.[name] || annotations?.[formerNames[name]] || undefined;
const ownerOf = (object: KubeObject) => read(object, annotationShardOwner);
const pendingOf = (object: KubeObject) => read(object, annotationShardOwnerPending);
const hasFormerNames = ({ metadata: { annotations = {} } }: KubeObject): boolean =>
  Object.values(formerNames).some((name) => annotations[name] !== undefined);

function setOwner(object: KubeObject, shard: string): void {
  annotate(object, annotationShardOwner, shard === '' ? undefined : shard);
}

function annotate(object: KubeObject, name: Name, value: string | undefined): void {
  const { [name]: before, [formerNames[name]]: former, ...rest } = object.metadata.annotations ?? {};
  if (value !== undefined) object.metadata.annotations = { ...rest, [name]: value };
  else if (before !== undefined || former !== undefined) object.metadata.annotations = rest;
}

/** The write guards of one kind, with the ownership of shards where there are any. */
interface ShardGuards {
  /** The guard itself for an object that no shard has owned, in a process without a selector. */
  guardOf<T extends WithStatus>(reconcile: GuardedReconcile<T>, guard: UnshardedWriteGuard): WriteGuard;
  /** Drops the state of the key: its object has left the cache, however short. */
  forget(key: string): void;
}

interface GuardedReconcile<T extends WithStatus> {
  readonly key: string;
  readonly copy: WorkingCopy<T>;
  readonly signal: AbortSignal;
}

interface ShardGuardsOptions extends Omit<ShardOwnershipOptions, 'delayMs'> {
  /** Deadline of all external calls of one reconcile together, in ms. */
  readonly timeoutMs: number;
}

/** A process without a selector that finds no object of a shard keeps nothing. */
export function createShardGuards({ timeoutMs, ...options }: ShardGuardsOptions): ShardGuards {
  let ownership: ShardOwnership | undefined;
  return {
    guardOf: (reconcile, guard) => {
      if (options.shard === '' && !hasShardOwner(reconcile.copy.object)) return guard;
      ownership ??= createShardOwnership({ ...options, delayMs: ownershipDelayOf(timeoutMs) });
      return withOwnership(reconcile, guard, ownership);
    },
    forget: (key) => ownership?.forget(key),
  };
}

function withOwnership<T extends WithStatus>(
  { key, copy, signal }: GuardedReconcile<T>,
  guard: UnshardedWriteGuard,
  ownership: ShardOwnership,
): WriteGuard {
  let owned: Ownership | undefined;
  const current = () => ownership.of(key, copy.object);
  const assertOwner = () => {
    if (owned?.state !== 'delayed') return;
    throw new PostponedError('waiting', ownershipDelayText(ownership.delayMs), owned.remainingMs);
  };
  return {
    ...guard,
    assertOwner,
    acquireOwnership: async ({ onlyObserved = false } = {}) => {
      owned = current();
      if (owned.state === 'lost') {
        throw new PostponedError('contested', lostOwnershipText(ownership.ownerOf(copy.object)));
      }
      if (onlyObserved) return;
      if (owned.state === 'foreign') {
        ownership.stageAcquisition(key, copy.object);
        await copy.put(signal);
        ownership.onAcquired(key, copy.object);
        owned = current();
      } else if (owned.state === 'unrecorded') {
        ownership.stageRecord(copy.object);
        await copy.put(signal);
        owned = current();
      }
    },
    stageClaim: () => {
      guard.stageClaim();
      if (owned?.state === 'unclaimed') ownership.stageOwner(copy.object);
    },
    beforeWrite: async (write = {}) => {
      await guard.beforeWrite({
        ...write,
        check: () => {
          assertOwner();
          if (owned?.state !== 'own' && owned?.state !== 'unclaimed')
            throw new ProviderError('bug', notOwned);
        },
        alwaysReads: Boolean(write.destructive) || ownership.shard !== '',
      });
    },
    notAfterDelay: (result) => {
      if (owned?.state !== 'delayed' || result.type !== 'requeue-after') return result;
      return { ...result, delayMs: Math.min(result.delayMs, owned.remainingMs) };
    },
  };
}

// Messages about shard ownership, for conditions and events.

/** Shown during the ownership delay, where something would have to be written externally. */
export function ownershipDelayText(delayMs: number): string {
  const seconds = Math.ceil(delayMs / 1000);
  return `this resource came from another shard of the provider, which may still be at work for it: nothing is changed for ${seconds} s`;
}

/** @param owner the label selector of the shard that owns the resource; empty: the provider without a selector */
export function lostOwnershipText(owner: string): string {
  const which = owner === '' ? 'the provider without a label selector' : `the shard ${JSON.stringify(owner)}`;
  return `${which} took this resource over, though it is selected here as well: have the label selectors of the providers exclude each other`;
}

/**
 * The labels by which a shard selects an object. What a reconcile creates for the object, and the same process reconciles, needs the same
 * ones: else no shard reconciles it, or another one does.
 *
 * @param selector such as `shard=a,!old` or `shard notin (a, b)`; empty: there are none
 */
export function shardLabelsOf({ metadata: { labels = {} } }: KubeObject, selector: string): ShardLabels {
  const requirements = selector.replaceAll(/\([^()]*\)/g, '').split(',');
  const keys = requirements.flatMap((each) => /^!?\s*([\w./-]+)/.exec(each.trim())?.[1] ?? []);
  return Object.fromEntries(keys.map((key) => [key, labels[key]]));
}

/** The labels with those of the shard, and without those that it must not have. */
export function withShardLabels(
  labels: Readonly<Record<string, string>>,
  shard: ShardLabels,
): Record<string, string> {
  const others = Object.entries(labels).filter(([key]) => !Object.hasOwn(shard, key));
  const own = Object.entries(shard).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return Object.fromEntries([...others, ...own]);
}
