import type { WatchedObject } from './errors.ts';

/** A watched object that a test changes. */
export interface FakeWatchedObject extends WatchedObject {
  /** Number of current watches. */
  watchers(): number;
  change(): void;
}

export function createFakeWatchedObject(description = 'something'): FakeWatchedObject {
  const watchers = new Set<() => void>();
  return {
    description,
    watch: (onChange) => {
      const own = () => onChange();
      watchers.add(own);
      return () => {
        watchers.delete(own);
      };
    },
    watchers: () => watchers.size,
    change: () => {
      for (const notify of [...watchers]) notify();
    },
  };
}
