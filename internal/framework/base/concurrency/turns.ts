/**
 * The order of turns. New keys and keys that had a turn take them alternately while there are both, new keys first: a new key
 * does not wait for a turn of each key with a backlog, and keys with a backlog have half of the turns, however many new
 * keys come. The positions are start tags of start-time fair queueing, with two flows of equal weight.
 */
export interface Turns {
  /** The position of a key that had no turn yet. */
  ofNew(): number;
  /** The next position of a key whose turn has ended. */
  ofReturning(): number;
  /** The key at this position takes its turn. */
  taken(position: number): void;
}

export function createTurns(): Turns {
  let current = 0;
  let lastNew = 0;
  let lastReturning = 0;
  return {
    ofNew: () => {
      lastNew = Math.max(current, lastNew) + 1;
      return 2 * lastNew;
    },
    ofReturning: () => {
      lastReturning = Math.max(current, lastReturning) + 1;
      return 2 * lastReturning + 1;
    },
    taken: (position) => {
      current = Math.max(current, Math.floor(position / 2));
    },
  };
}
