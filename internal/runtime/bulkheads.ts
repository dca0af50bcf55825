import { POLL_PRIORITY, type Taken } from './queue/work-queue.ts';

/**
 * Keeps what depends on one other side from taking all workers of a controller. Each *lane* has a number of places; a
 * key that finds none free in one of its lanes is put aside, without holding a worker, and is invited to come again
 * when all of its lanes have a place: the most urgent first, and of those the one that came first.
 *
 * An invitation keeps a place in every one of those lanes. Were it kept in one alone, keys that need two lanes would
 * be invited by each because of places that the other keeps, for ever, with nobody at work.
 */
export interface Bulkheads {
  /**
   * Takes a place in each lane; the returned function gives them back, once. Undefined: the key was put aside and will
   * be given to `readmit`. Whoever comes by himself meanwhile is put aside no longer, and tries again.
   */
  enter(taken: Taken, lanes: readonly string[]): (() => void) | undefined;
  /** What kept routine keys from being invited may have ended. */
  review(): void;
  /** Keys that are put aside. */
  aside(): number;
}

export interface BulkheadsOptions {
  /** Of each lane. */
  readonly places: number;
  /** Has a key tried again for which places are kept now. */
  readonly readmit: (taken: Taken) => void;
  /** Whether a routine key that is invited could begin now; default: it could. */
  readonly mayBeginRoutine?: () => boolean;
}

interface Lane {
  /** Places taken by who works, and kept for who is invited. */
  used: number;
  readonly urgent: Map<string, Waiting>;
  readonly routine: Map<string, Waiting>;
  /** Routine as well, after all other. */
  readonly polls: Map<string, Waiting>;
}

/** A key that is put aside, in the lines of one of its lanes, which is full. */
interface Waiting {
  readonly taken: Taken;
  readonly lanes: readonly string[];
}

export function createBulkheads(options: BulkheadsOptions): Bulkheads {
  const { places, readmit, mayBeginRoutine = () => true } = options;
  const lanes = new Map<string, Lane>();
  /** The lane in whose lines a key stands. */
  const awaited = new Map<string, string>();
  /** The lanes that keep a place for a key until it comes. */
  const invited = new Map<string, readonly string[]>();

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { used: 0, urgent: new Map(), routine: new Map(), polls: new Map() };
    lanes.set(name, lane);
    return lane;
  };
  const isFull = (name: string) => (lanes.get(name)?.used ?? 0) >= places;
  const take = (names: readonly string[]) => {
    for (const name of names) laneOf(name).used++;
  };
  const standInLine = (waiting: Waiting, name: string) => {
    const { urgent, routine, polls } = laneOf(name);
    const { key, priority } = waiting.taken;
    (priority >= 0 ? urgent : priority > POLL_PRIORITY ? routine : polls).set(key, waiting);
    awaited.set(waiting.taken.key, name);
  };
  const leaveLine = (key: string) => {
    const name = awaited.get(key);
    if (name === undefined) return;
    awaited.delete(key);
    const { urgent, routine, polls } = laneOf(name);
    for (const line of [urgent, routine, polls]) line.delete(key);
  };
  /** Invites from the lines of a lane as long as it has places. Who lacks another lane waits there from now on. */
  const invite = (name: string) => {
    const lane = laneOf(name);
    for (const line of [lane.urgent, lane.routine, lane.polls]) {
      for (const [key, waiting] of line) {
        // A place that is kept for who cannot come would be missing to the urgent ones.
        if (isFull(name) || (line !== lane.urgent && !mayBeginRoutine())) return;
        leaveLine(key);
        const full = waiting.lanes.find(isFull);
        if (full === undefined) {
          take(waiting.lanes);
          invited.set(key, waiting.lanes);
          readmit(waiting.taken);
        } else standInLine(waiting, full);
      }
    }
    if (lane.used === 0) lanes.delete(name);
  };
  const giveBack = (names: readonly string[]) => {
    for (const name of names) laneOf(name).used--;
  };

  return {
    enter: (taken, names) => {
      const own = [...new Set(names)];
      const kept = invited.get(taken.key) ?? [];
      invited.delete(taken.key);
      leaveLine(taken.key);
      giveBack(kept);
      const full = own.find(isFull);
      if (full === undefined) take(own);
      else standInLine({ taken, lanes: own }, full);
      // It may have gone another way than where it was invited.
      for (const name of kept) invite(name);
      if (full !== undefined) return undefined;
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        giveBack(own);
        for (const name of own) invite(name);
      };
    },
    review: () => {
      for (const name of [...lanes.keys()]) invite(name);
    },
    aside: () => awaited.size,
  };
}
