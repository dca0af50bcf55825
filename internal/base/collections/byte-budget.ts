/** Bytes that several parties may keep in memory together. */
export interface ByteBudget {
  /** False, with nothing taken, where fewer are left. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

/** @param parent takes part in every decision: a budget for one party within that of all */
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

/** For those who are trusted. */
export const unlimitedBytes: ByteBudget = { take: () => true, give: () => undefined };
