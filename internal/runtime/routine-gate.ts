/**
 * Keeps routine work from slowing down what somebody waits for. A pass takes the longer the more of them are under way,
 * as they share one processor, the connections and the API server; so priority in the queue alone is not enough. While
 * urgent passes are under way, routine ones begin only until a number of them is; those that run are left alone.
 *
 * An urgent pass counts for a moment only: one that hangs, as others may after it, must not keep routine work down.
 */
import type { Clock } from '../base/clock.ts';

export interface RoutineGate {
  /** Whether the pass may begin now; if so, it has. Urgent ones always may. */
  enter(key: string, priority: number): boolean;
  /** The pass that began has ended. */
  leave(key: string): void;
  /** Whether routine work may begin now. Whoever is told that it may not is told by `onOpen` when to ask again. */
  isOpen(): boolean;
  /** Ends all timers. */
  close(): void;
}

export interface RoutineGateOptions {
  readonly clock: Clock;
  /** Routine passes under way at most while urgent ones are. */
  readonly places: number;
  /** How long an urgent pass counts, in ms. Default 2000. */
  readonly patienceMs?: number;
  readonly onOpen: () => void;
}

export function createRoutineGate(options: RoutineGateOptions): RoutineGate {
  const { clock, places, patienceMs = 2000, onOpen } = options;
  const routine = new Set<string>();
  /** With what ends their time. */
  const urgent = new Map<string, () => void>();
  let refused = false;

  const isOpen = () => {
    const open = urgent.size === 0 || routine.size < places;
    refused ||= !open;
    return open;
  };
  const tell = () => {
    if (!refused) return;
    refused = false;
    if (isOpen()) onOpen();
  };
  const cease = (key: string) => {
    urgent.get(key)?.();
    urgent.delete(key);
  };
  return {
    isOpen,
    enter: (key, priority) => {
      if (priority < 0) {
        if (!isOpen()) return false;
        routine.add(key);
        return true;
      }
      const cancel = clock.after(patienceMs, () => {
        cease(key);
        tell();
      });
      urgent.set(key, cancel);
      return true;
    },
    leave: (key) => {
      routine.delete(key);
      cease(key);
      tell();
    },
    close: () => {
      for (const key of [...urgent.keys()]) cease(key);
    },
  };
}
