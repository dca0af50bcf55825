import { mkdir, rm, stat, utimes } from 'node:fs/promises';
import { type Clock, sleep } from '../../../internal/framework/base/time/clock.ts';

/** How often a holder renews its lock. */
const HEARTBEAT_MS = 2_000;

/** Without a renewal for this long, the holder counts as dead. */
const STALE_MS = 20_000;

const POLL_MS = 250;

export interface CacheLockOptions {
  /** The folder whose existence is the lock. Its parent must exist. */
  readonly path: string;
  readonly clock: Clock;
  /** Called once, when another process holds the lock. */
  readonly onWait?: () => void;
}

/**
 * Runs `work` while no other process on this file system does. The lock keeps two first runs from doing the
 * same long work twice; correctness does not hang on it, since results are moved into place in one step.
 */
export async function withCacheLock<T>(options: CacheLockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(options);
  const stopHeartbeat = startHeartbeat(options);
  try {
    return await work();
  } finally {
    stopHeartbeat();
    await rm(options.path, { recursive: true, force: true });
  }
}

async function acquire({ path, clock, onWait }: CacheLockOptions): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await mkdir(path);
      return;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
    if (await isStale(path, clock)) {
      await rm(path, { recursive: true, force: true });
      continue;
    }
    if (attempt === 0) onWait?.();
    await sleep(clock, POLL_MS);
  }
}

async function isStale(path: string, clock: Clock): Promise<boolean> {
  try {
    return clock.now() - (await stat(path)).mtimeMs > STALE_MS;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

function startHeartbeat({ path, clock }: CacheLockOptions): () => void {
  const schedule = () => clock.after(HEARTBEAT_MS, () => void beat());
  let cancel = schedule();
  let stopped = false;
  async function beat(): Promise<void> {
    const now = new Date(clock.now());
    // A lock that was removed meanwhile must not fail the work.
    await utimes(path, now, now).catch(() => undefined);
    // Not before: of two renewals at the same time the older one may be stored last.
    if (!stopped) cancel = schedule();
  }
  return () => {
    stopped = true;
    cancel();
  };
}

const hasCode = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === code;
