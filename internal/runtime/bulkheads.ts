import type { Taken } from './queue/work-queue.ts';

/**
 * Keeps what depends on one other side from taking all workers of a controller. Each *lane* has a number of places; a
 * key that finds none free in one of its lanes is put aside, without holding a worker, and is tried again when it is
 * its turn there: the most urgent first, and of those the one that came first.
 */
export interface Bulkheads {
  /**
   * Takes a place in each lane; the returned function gives them back, once. Undefined: the key was put aside and will
   * be given to `readmit`. Whoever comes by himself meanwhile is put aside no longer, and tries again.
   */
  enter(taken: Taken, lanes: readonly string[]): (() => void) | undefined;
  /** Keys that are put aside. */
  aside(): number;
}

export interface BulkheadsOptions {
  /** Of each lane. */
  readonly places: number;
  /** Has a key tried again for which a place is kept now. */
  readonly readmit: (taken: Taken) => void;
}

interface Lane {
  used: number;
  /** Keys for which a place is kept until they come. */
  readonly invited: Set<string>;
  readonly urgent: Map<string, Taken>;
  readonly routine: Map<string, Taken>;
}

export function createBulkheads({ places, readmit }: BulkheadsOptions): Bulkheads {
  const lanes = new Map<string, Lane>();
  /** The lane that a key waits for, or is invited to. */
  const awaited = new Map<string, string>();
  let aside = 0;

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { used: 0, invited: new Set(), urgent: new Map(), routine: new Map() };
    lanes.set(name, lane);
    return lane;
  };
  const isFull = (name: string) => {
    const lane = lanes.get(name);
    return lane !== undefined && lane.used + lane.invited.size >= places;
  };
  const invite = (name: string) => {
    const lane = laneOf(name);
    while (!isFull(name)) {
      const waiting = lane.urgent.size > 0 ? lane.urgent : lane.routine;
      const [next] = waiting.values();
      if (next === undefined) break;
      waiting.delete(next.key);
      aside--;
      lane.invited.add(next.key);
      readmit(next);
    }
    if (lane.used + lane.invited.size === 0) lanes.delete(name);
  };
  /** The key waits no longer; returns the lane where it did. */
  const forget = (key: string): string | undefined => {
    const name = awaited.get(key);
    if (name === undefined) return undefined;
    awaited.delete(key);
    const lane = laneOf(name);
    lane.invited.delete(key);
    if (lane.urgent.delete(key) || lane.routine.delete(key)) aside--;
    return name;
  };

  return {
    enter: (taken, names) => {
      const before = forget(taken.key);
      const full = names.find(isFull);
      if (full !== undefined) {
        const { urgent, routine } = laneOf(full);
        (taken.priority < 0 ? routine : urgent).set(taken.key, taken);
        awaited.set(taken.key, full);
        aside++;
      } else for (const name of names) laneOf(name).used++;
      // The place that was kept may be another one's now.
      if (before !== undefined) invite(before);
      if (full !== undefined) return undefined;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        for (const name of names) {
          laneOf(name).used--;
          invite(name);
        }
      };
    },
    aside: () => aside,
  };
}
