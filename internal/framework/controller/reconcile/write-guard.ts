/**
 * Protects the external writes of a process: leadership, the deadline of external calls, and for destructive writes the
 * newest version of the object; with shards also ownership and the ownership delay (shard-ownership.ts). A guard
 * belongs to one reconcile of one object. A reconciler calls it three times:
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
import { type Stopwatch, startStopwatch } from '../../base/time/clock.ts';
import { parseTimestamp } from '../../base/time/formats.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { ReconcileResult } from '../reconcile-result.ts';
import { stageFinalizer } from './finalizer.ts';
import type { WithStatus, WorkingCopy } from './working-copy.ts';

export interface WriteGuard {
  /**
   * Makes this shard the owner of the object: one PUT if another shard owns it, one when the ownership delay is over.
   *
   * @param options.onlyObserved nothing is written externally for the object, so that another shard may keep it; default false
   * @throws PostponedError while another shard owns the object although this one selects it as well
   */
  acquireOwnership(options?: { readonly onlyObserved?: boolean }): Promise<void>;
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
   * @throws VersionReadError if the newest version cannot be read
   */
  beforeWrite(write?: ExternalWrite): Promise<void>;
  /**
   * @throws NotLeaderError if another replica may lead by now
   * @throws PostponedError if the process was suspended for longer than external calls may take
   */
  readonly assertMayWrite: Fence;
  /** Whether a request to create the external resource may have been sent in this reconcile, whatever its result. */
  createSent(): boolean;
  /**
   * The result, with a delay no longer than the ownership delay, so that its end is recorded and postponed writes are
   * done.
   */
  notAfterDelay(result: ReconcileResult): ReconcileResult;
}

export interface ExternalWrite {
  /**
   * Whether it deletes or replaces. Then the newest version of the object decides: one GET. Default false.
   *
   * `deletion`: what belongs to an object that is being deleted. A deletion cannot be taken back, so a version that shows one of a few
   * seconds ago is as good as a GET, unless a newer version is known by now. Shards always read.
   */
  readonly destructive?: boolean | 'deletion';
  /**
   * For a create: stores the intent by a write that the API server refuses unless it is of the newest version. Replaces
   * the GET.
   */
  readonly record?: () => Promise<void>;
}

/** The newest version of the object could not be read before a write. The cause says why. */
export class VersionReadError extends Error {}

export interface WriteGuardOptions<T extends WithStatus> extends Pick<Deps, 'clock'> {
  readonly copy: WorkingCopy<T>;
  /** For the time of the API server. */
  readonly client: Pick<KubeClient, 'now'>;
  /** The newest version known without a request; default: that of the copy. */
  readonly newest?: (() => KubeObject | undefined | Promise<KubeObject | undefined>) | undefined;
  /** For requests to the API server. */
  readonly signal: AbortSignal;
  /** For how long after the beginning of an ownership check external requests may be sent, in ms. */
  readonly timeoutMs: number;
  readonly finalizer: string;
  /** Throws unless this process leads; default: it leads. */
  readonly fence?: Fence | undefined;
}

/**
 * For how long after its `deletionTimestamp` a version counts as current, in ms. A GET counts for `timeoutMs`, which is longer. Many
 * objects that are deleted at once are deleted within this time.
 */
const DELETION_CURRENT_MS = 15_000;
/** `deletionTimestamp` has whole seconds, and the time of the API server is known as exactly. */
const SECOND_MS = 1000;

/** The guard of a process without shards; that of a shard adds a check, and reads the version before each write. */
export interface UnshardedWriteGuard extends WriteGuard {
  beforeWrite(
    write?: ExternalWrite & { readonly check?: () => void; readonly alwaysReads?: boolean },
  ): Promise<void>;
}

export function createWriteGuard<T extends WithStatus>(options: WriteGuardOptions<T>): UnshardedWriteGuard {
  const { copy, client, newest, clock, signal, timeoutMs, fence = noFence } = options;
  let check: { readonly age: Stopwatch; readonly isCreate: boolean } | undefined;
  let createSent = false;
  let isOwner = false;
  const assertUnchanged = async () => {
    const isCurrent = await copy.isCurrent(signal).catch((cause: unknown) => {
      throw new VersionReadError('cannot read the newest version of the object', { cause });
    });
    if (!isCurrent) throw new PostponedError('conflict', 'the object was changed since it was read');
  };
  /** Whether the version shows a deletion of a moment ago. */
  const showsNewDeletion = (): boolean => {
    const deletedAt = parseTimestamp(copy.object.metadata.deletionTimestamp);
    const ageMs = client.now() - (deletedAt ?? Number.NaN);
    return ageMs >= -SECOND_MS && ageMs < DELETION_CURRENT_MS;
  };
  const isNewestKnown = async (): Promise<boolean> => {
    if (newest === undefined) return true;
    const known = await newest();
    const { uid, resourceVersion } = copy.object.metadata;
    return known?.metadata.uid === uid && known?.metadata.resourceVersion === resourceVersion;
  };
  const isCurrentDeletion = async () => showsNewDeletion() && (await isNewestKnown());
  return {
    acquireOwnership: async () => {
      isOwner = true;
    },
    stageClaim: () => {
      if (options.finalizer !== '') stageFinalizer(copy, options.finalizer);
    },
    assertOwner: () => undefined,
    beforeWrite: async ({
      destructive = false,
      alwaysReads = destructive === true,
      record,
      check: assertOwned,
    } = {}) => {
      fence();
      if (assertOwned !== undefined) assertOwned();
      else if (!isOwner) throw new ProviderError('bug', notOwned);
      // From the start of the check, because its result may be as old.
      const age = startStopwatch(clock);
      if (record !== undefined) await record();
      else if (alwaysReads || (destructive === 'deletion' && !(await isCurrentDeletion())))
        await assertUnchanged();
      check = { age, isCreate: record !== undefined };
    },
    assertMayWrite: () => {
      fence();
      if (check === undefined) throw new ProviderError('bug', unchecked);
      if (check.age() >= timeoutMs) throw new PostponedError('conflict', stoodStill);
      createSent ||= check.isCreate;
    },
    createSent: () => createSent,
    notAfterDelay: (result) => result,
  };
}

export const notOwned = 'an external write needs shard ownership';
const unchecked = 'an external write needs an ownership check before it';
const stoodStill = 'this process stood still since its ownership check';
