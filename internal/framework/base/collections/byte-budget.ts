/** A limit for memory that several users share. */
export interface ByteBudget {
  /** Takes bytes; false if not enough are left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** @param parent also limits this budget, e.g. a total for all users */
export function createByteBudget(maxBytes: number, parent?: ByteBudget): ByteBudget {
  let used = 0;
  return {
    take: (bytes) => {
      if (used + bytes > maxBytes || parent?.take(bytes) === false) return false;
      used += bytes;
      return true;
    },
    give: (bytes) => {
      used -= bytes;
      parent?.give(bytes);
    },
  };
}

/** No limit. */
export const unlimitedBytes: ByteBudget = { take: () => true, give: () => undefined };

/** A part of a budget that is given back as a whole, when it is disposed. */
export interface HeldBytes extends Disposable {
  /** Takes bytes; false if not enough are left, or it was disposed. */
  take(bytes: number): boolean;
}

/** @param reserved bytes that were taken from the budget before, and are used first; default 0 */
export function holdBytes(budget: ByteBudget, reserved = 0): HeldBytes {
  let free = reserved;
  let taken = reserved;
  let isDisposed = false;
  return {
    take: (bytes) => {
      const missing = Math.max(0, bytes - free);
      if (isDisposed || (missing > 0 && !budget.take(missing))) return false;
      taken += missing;
      free += missing - bytes;
      return true;
    },
    [Symbol.dispose]: () => {
      if (!isDisposed) budget.give(taken);
      isDisposed = true;
    },
  };
}
