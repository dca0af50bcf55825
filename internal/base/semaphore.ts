/** A number of places that work in progress may hold. */
export interface Semaphore {
  /** Resolves with the function that gives the place back; rejects with the signal's reason while none is free. */
  acquire(signal: AbortSignal): Promise<() => void>;
}

/** Places are given in the order of asking. */
export function createSemaphore(places: number): Semaphore {
  let free = places;
  const queue = new Set<() => void>();
  const release = () => {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      free++;
      const [next] = queue;
      next?.();
    };
  };
  return {
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        const leave = () => {
          queue.delete(enter);
          reject(signal.reason);
        };
        const enter = () => {
          queue.delete(enter);
          signal.removeEventListener('abort', leave);
          free--;
          resolve(release());
        };
        if (signal.aborted) reject(signal.reason);
        else if (free > 0) enter();
        else {
          queue.add(enter);
          signal.addEventListener('abort', leave, { once: true });
        }
      }),
  };
}
