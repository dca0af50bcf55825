import type { WatchedObject } from '../../base/errors/errors.ts';

/** Something to wait for that changes when the test says so. */
export interface FakeWatchedObject extends WatchedObject {
  /** How many watch it now. */
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
      for (const tell of [...watchers]) tell();
    },
  };
}
