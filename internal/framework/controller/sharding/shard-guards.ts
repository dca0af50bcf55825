import { PostponedError } from '../../base/concurrency/fence.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { ownershipDelayOf } from '../reconcile/reconciler.ts';
import type { WithStatus, WorkingCopy } from '../reconcile/working-copy.ts';
import { notOwned, type UnshardedWriteGuard, type WriteGuard } from '../reconcile/write-guard.ts';
import {
  createShardOwnership,
  hasShardOwner,
  type Ownership,
  type ShardOwnership,
  type ShardOwnershipOptions,
} from './shard-ownership.ts';

/** The write guards of one kind, with the ownership of shards where there are any. */
export interface ShardGuards {
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

export interface ShardGuardsOptions extends Omit<ShardOwnershipOptions, 'delayMs'> {
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
