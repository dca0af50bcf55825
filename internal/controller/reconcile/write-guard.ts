/**
 * Protects the external writes of a process: leadership, shard ownership, the ownership delay, the deadline of
 * external calls, and for destructive writes the newest version of the object. A guard belongs to one reconcile of
 * one object. A reconciler calls it three times:
 *
 * 1. `acquireOwnership`, before it decides anything about the object.
 * 2. `beforeWrite`, before each call that writes externally. It performs an ownership check.
 * 3. `assertMayWrite`, right before each request of that call, retries included.
 *
 * It refuses with a `FencedError`, which is no failure of the reconcile.
 */

import { type Fence, noFence, PostponedError } from '../../base/concurrency/fence.ts';
import type { Deps } from '../../base/deps.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { type Stopwatch, startStopwatch } from '../../base/time/stopwatch.ts';
import type { ReconcileResult } from '../reconcile-result.ts';
import { lostOwnershipText, ownershipDelayText } from '../sharding/messages.ts';
import type { Ownership, ShardOwnership } from '../sharding/shard-ownership.ts';
import { stageFinalizer } from './finalizer.ts';
import type { WithStatus, WorkingCopy } from './working-copy.ts';

export interface WriteGuard {
  /**
   * Makes this shard the owner of the object: one PUT if another shard owns it, one when the ownership delay is over.
   *
   * @throws PostponedError while another shard owns the object although this one selects it as well
   */
  acquireOwnership(): Promise<void>;
  /**
   * Stages the finalizer and, if no shard owns the object, this shard as owner, for the next PUT. Before the first
   * external write.
   */
  stageClaim(): void;
  /**
   * For decisions that require that no other process writes, e.g. that nothing is left to delete. Costs no request.
   *
   * @throws PostponedError during the ownership delay
   */
  assertOwner(): void;
  /**
   * Allows external writes from now on, for as long as external calls may take.
   *
   * @throws NotLeaderError if another replica may lead by now
   * @throws PostponedError during the ownership delay, and if the object was changed since it was read
   */
  beforeWrite(write?: ExternalWrite): Promise<void>;
  /**
   * @throws NotLeaderError if another replica may lead by now
   * @throws PostponedError if the process was suspended for longer than external calls may take
   */
  readonly assertMayWrite: Fence;
  /**
   * The result, with a delay no longer than the ownership delay, so that its end is recorded and postponed writes are
   * done.
   */
  notAfterDelay(result: ReconcileResult): ReconcileResult;
}

export interface ExternalWrite {
  /**
   * Whether it deletes or replaces. Then the newest version of the object decides: one GET, also without shards.
   * Default false.
   */
  readonly destructive?: boolean;
  /** Stores the intent by a write that the API server refuses unless it is of the newest version. Replaces the GET. */
  readonly record?: () => Promise<void>;
}

export interface WriteGuardOptions<T extends WithStatus> extends Pick<Deps, 'clock'> {
  readonly key: string;
  readonly copy: WorkingCopy<T>;
  /** For requests to the API server. */
  readonly signal: AbortSignal;
  /** For how long after the beginning of an ownership check external requests may be sent, in ms. */
  readonly timeoutMs: number;
  readonly finalizer: string;
  readonly ownership: ShardOwnership;
  /** Nothing is written externally for the object, so that another shard may keep it. Default false. */
  readonly onlyObserved?: boolean;
  /** Throws unless this process leads; default: it leads. */
  readonly fence?: Fence;
  /** Whether the object is unchanged since it was read; default: asks the API server. */
  readonly isCurrent?: () => Promise<boolean>;
  /** Called at the beginning of each ownership check: no external call may last longer than its check is valid. */
  readonly onCheck?: () => void;
}

export function createWriteGuard<T extends WithStatus>(options: WriteGuardOptions<T>): WriteGuard {
  const { key, copy, clock, signal, timeoutMs, ownership, onlyObserved = false, fence = noFence } = options;
  const isCurrent = options.isCurrent ?? (() => copy.isCurrent(signal));
  let owned: Ownership | undefined;
  let check: Stopwatch | undefined;

  const assertOwner = () => {
    if (owned?.state !== 'delayed') return;
    throw new PostponedError('waiting', ownershipDelayText(ownership.delayMs), owned.remainingMs);
  };
  const assertUnchanged = async ({ destructive = false, record }: ExternalWrite) => {
    if (record !== undefined) return record();
    const isShared = ownership.shard !== '';
    if (!destructive && !isShared) return;
    if (!(await isCurrent()))
      throw new PostponedError('conflict', 'the object was changed since it was read');
  };
  return {
    assertOwner,
    acquireOwnership: async () => {
      const current = () => ownership.of(key, copy.object);
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
      } else if (owned.state === 'delay-over') {
        ownership.stageEndOfDelay(copy.object);
        await copy.put(signal);
        owned = current();
      }
    },
    stageClaim: () => {
      stageFinalizer(copy, options.finalizer);
      if (owned?.state === 'unclaimed') ownership.stageOwner(copy.object);
    },
    beforeWrite: async (write = {}) => {
      fence();
      assertOwner();
      if (owned?.state !== 'own' && owned?.state !== 'unclaimed') throw new ProviderError('bug', notOwned);
      options.onCheck?.();
      // From the start of the check, because its result may be as old.
      const begun = startStopwatch(clock);
      await assertUnchanged(write);
      check = begun;
    },
    assertMayWrite: () => {
      fence();
      if (check === undefined) throw new ProviderError('bug', unchecked);
      if (check() >= timeoutMs) throw new PostponedError('conflict', stoodStill);
    },
    notAfterDelay: (result) => {
      if (owned?.state !== 'delayed' || result.type !== 'requeue-after') return result;
      return { ...result, delayMs: Math.min(result.delayMs, owned.remainingMs) };
    },
  };
}

const notOwned = 'an external write needs shard ownership';
const unchecked = 'an external write needs an ownership check before it';
const stoodStill = 'this process stood still since its ownership check';
