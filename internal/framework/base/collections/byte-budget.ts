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

/** Shares of one limit among tenants. Nothing is kept of a tenant that has given all back. */
export interface Shares {
  of(tenant: string): ByteBudget;
}

export interface SharesOptions {
  /** Of all tenants. */
  readonly maxBytes: number;
  /** What a tenant can take while no other has anything; less than `maxBytes`. */
  readonly maxBytesPerTenant: number;
}

/**
 * The more others have taken, the less a tenant can take: what it has is at most a fixed multiple of what is left. So no number of
 * tenants can take all, and who has little gets some. (The dynamic thresholds of Choudhury and Hahne, 1998, by which the ports of a switch share
 * its memory.) For what is given back soon: who came first keeps what it has.
 */
export function createShares({ maxBytes, maxBytesPerTenant }: SharesOptions): Shares {
  const usedBy = new Map<string, number>();
  let all = 0;
  const add = (tenant: string, bytes: number) => {
    all += bytes;
    const used = (usedBy.get(tenant) ?? 0) + bytes;
    if (used === 0) usedBy.delete(tenant);
    else usedBy.set(tenant, used);
  };
  return {
    of: (tenant) => ({
      take: (bytes) => {
        const used = (usedBy.get(tenant) ?? 0) + bytes;
        const left = maxBytes - all - bytes;
        if (bytes > 0 && used * (maxBytes - maxBytesPerTenant) > left * maxBytesPerTenant) return false;
        add(tenant, bytes);
        return true;
      },
      give: (bytes) => add(tenant, -bytes),
    }),
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
