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
