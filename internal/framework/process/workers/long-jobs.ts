import type { Deps } from '../../base/deps.ts';

/** How long the jobs of each group took beyond a short one, lately. */
export interface LongJobs {
  /** In ms; what was counted halves every minute. Short jobs count nothing. */
  time(group: string): number;
  /** Whether the group has to leave a process to others. */
  isHeavy(group: string): boolean;
  began(group: string): JobTime;
}

/** The time of a job in progress, which counts while it runs. */
export interface JobTime {
  /** @param wasPutBack it had to make room for another group, which waited for it and for a new process */
  end(wasPutBack: boolean): void;
}

export interface LongJobsOptions extends Pick<Deps, 'clock'> {
  readonly shortMs: number;
}

const HALF_LIFE_MS = 60_000;
/** So many times a short job make a group heavy. */
const HEAVY = 4;
/** So many times a short job are counted for one that was put back, so that its group is heavy and does so once. */
const PUT_BACK = 6;

interface Counted {
  readonly ms: number;
  readonly at: number;
}

export function createLongJobs({ clock, shortMs }: LongJobsOptions): LongJobs {
  const counted = new Map<string, Counted>();
  const inProgress = new Map<string, Set<{ readonly since: number }>>();
  const leftOf = ({ ms, at }: Counted): number => ms * 2 ** ((at - clock.monotonic()) / HALF_LIFE_MS);
  const beyond = (since: number): number => Math.max(0, clock.monotonic() - since - shortMs);
  const count = (group: string, ms: number) => {
    for (const [name, each] of counted) if (leftOf(each) < 1) counted.delete(name);
    const before = counted.get(group);
    if (ms === 0) return;
    counted.set(group, { ms: ms + (before === undefined ? 0 : leftOf(before)), at: clock.monotonic() });
  };
  const time = (group: string): number => {
    const before = counted.get(group);
    let ms = before === undefined ? 0 : leftOf(before);
    for (const { since } of inProgress.get(group) ?? []) ms += beyond(since);
    return ms;
  };
  return {
    time,
    isHeavy: (group) => time(group) > HEAVY * shortMs,
    began: (group) => {
      const own = inProgress.get(group) ?? new Set();
      const job = { since: clock.monotonic() };
      inProgress.set(group, own.add(job));
      return {
        end: (wasPutBack) => {
          count(group, beyond(job.since) + (wasPutBack ? PUT_BACK * shortMs : 0));
          own.delete(job);
          if (own.size === 0) inProgress.delete(group);
        },
      };
    },
  };
}
