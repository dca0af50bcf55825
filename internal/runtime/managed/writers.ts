/**
 * Who may change the other side of a resource, where several processes share the resources by their labels. Each
 * shard has one process that writes (a Lease sees to that), and each resource names the shard that has it. A shard
 * that takes a resource over changes nothing before whatever the former one began has ended.
 *
 * Every change is preceded by a proof (external-calls.ts): the API server showed that the resource is this shard's. A
 * change may begin for as long after its proof as calls may take, and has ended a little later. A take-over is a write to the
 * same object, so that no proof can follow it. Whoever waits so long after the take-over was stored is alone.
 *
 * The time of a take-over is measured by the process that waits, by its own clock: what the annotation says is for
 * people. Another process of the shard that finds a take-over unfinished waits from its first sight of it.
 */
import type { Clock } from '../../base/clock.ts';
import { cloneJson } from '../../base/clone-json.ts';
import { FencedError } from '../../base/fence.ts';
import { formatTimestamp } from '../../base/timestamp.ts';
import type { KubeObject } from '../../kube/object.ts';
import { hasFinalizer, managedFinalizer } from '../steps/finalizer.ts';
import {
  annotationExternalWriter,
  annotationExternalWriterPending,
  annotationOf,
  removeAnnotation,
  setAnnotation,
} from './meta.ts';

/** The change was not made, since another shard may have the resource by now. That one makes it. */
export class NotWriterError extends FencedError {}

export type Standing =
  /** Nobody has ever changed anything for it: to be named with the first record of ours. */
  | { readonly state: 'unclaimed' }
  | { readonly state: 'own' }
  /** Of another shard, or of all: to be taken over. */
  | { readonly state: 'foreign' }
  /** This process had it, and its labels still select it here. */
  | { readonly state: 'lost' }
  /** Taken over; nothing may be changed yet. */
  | { readonly state: 'held'; readonly remainingMs: number }
  /** Taken over, and the former one has ended: to be put on record. */
  | { readonly state: 'settled' };

/** What one process knows of its right to the resources of one kind. */
export interface Writers {
  standing(key: string, resource: KubeObject): Standing;
  /** Names this shard, in memory. */
  stage(resource: KubeObject): void;
  /** The same of a take-over, which must be stored by a write of this very version. */
  stageTakeOver(key: string, resource: KubeObject): void;
  /** It is stored: from now on the time counts. */
  tookOver(key: string, resource: KubeObject): void;
  /** Ends the take-over, in memory. */
  stageSettled(resource: KubeObject): void;
  /** The key has no resource here any more. */
  forget(key: string): void;
}

export interface WritersOptions {
  readonly clock: Clock;
  /** The label selector by which this process chose its resources; empty: all of them. */
  readonly shard: string;
  /** The time after which all is over that another process proved it may do, in ms. */
  readonly holdMs: number;
}

/** Of the resource with this uid, not of others that had the name before. */
interface Memory {
  readonly uid: string | undefined;
  /** The take-over that is under way, by what the annotation says of it. */
  hold?: { readonly pending: string; readonly until: number };
  /** When it may be taken back. */
  lostUntil?: number;
}

/**
 * How long a shard waits before it takes back what another one took while both select it: that one holds still for
 * one half of it, and may work for the other.
 */
const LOST_FOR_HOLDS = 2;

export function createWriters({ clock, shard, holdMs }: WritersOptions): Writers {
  const memories = new Map<string, Memory>();
  const known = (key: string, { metadata: { uid } }: KubeObject) => {
    const memory = memories.get(key);
    return memory?.uid === uid ? memory : undefined;
  };
  const remember = (key: string, resource: KubeObject): Memory => {
    const memory = known(key, resource) ?? { uid: resource.metadata.uid };
    memories.set(key, memory);
    return memory;
  };
  const hold = (key: string, resource: KubeObject): number => {
    const memory = remember(key, resource);
    delete memory.lostUntil;
    const pending = pendingOf(resource) ?? '';
    if (memory.hold?.pending !== pending) memory.hold = { pending, until: clock.monotonic() + holdMs };
    return memory.hold.until;
  };
  const whenNotOurs = (key: string, resource: KubeObject): Standing => {
    const memory = known(key, resource);
    if (memory === undefined) return { state: 'foreign' };
    memory.lostUntil ??= clock.monotonic() + LOST_FOR_HOLDS * holdMs;
    return { state: clock.monotonic() < memory.lostUntil ? 'lost' : 'foreign' };
  };
  return {
    standing: (key, resource) => {
      const writer = writerOf(resource);
      const pending = pendingOf(resource);
      if (writer === undefined && pending === undefined && shard !== '') {
        if (!hasFinalizer(resource, managedFinalizer)) return { state: 'unclaimed' };
        return whenNotOurs(key, resource);
      }
      if ((writer ?? '') !== shard) return whenNotOurs(key, resource);
      if (pending !== undefined) {
        const remainingMs = hold(key, resource) - clock.monotonic();
        return remainingMs > 0 ? { state: 'held', remainingMs } : { state: 'settled' };
      }
      // Not the old one without its fields: V8 keeps what was deleted from as a dictionary, for every resource there is.
      memories.set(key, { uid: resource.metadata.uid });
      return { state: 'own' };
    },
    stage: (resource) => name(resource, shard),
    stageTakeOver: (key, resource) => {
      name(resource, shard);
      setAnnotation(resource, annotationExternalWriterPending, formatTimestamp(clock.now()));
      // Should its answer be lost, it is somebody's take-over like any other.
      memories.delete(key);
    },
    tookOver: (key, resource) => void hold(key, resource),
    stageSettled: (resource) => removeAnnotation(resource, annotationExternalWriterPending),
    forget: (key) => void memories.delete(key),
  };
}

/** A copy that any process may change the other side of, for who only wants to know what one would do. */
export function withoutWriter<T extends KubeObject>(resource: T): T {
  const copy = cloneJson(resource);
  removeAnnotation(copy, annotationExternalWriter);
  removeAnnotation(copy, annotationExternalWriterPending);
  return copy;
}

const writerOf = (object: KubeObject) => annotationOf(object, annotationExternalWriter);
const pendingOf = (object: KubeObject) => annotationOf(object, annotationExternalWriterPending);

function name(resource: KubeObject, shard: string): void {
  if (shard === '') removeAnnotation(resource, annotationExternalWriter);
  else setAnnotation(resource, annotationExternalWriter, shard);
}
