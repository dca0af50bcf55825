import { type ByteBudget, createByteBudget } from '../../../../../framework/base/index.ts';

/** Bytes of JSON of the objects that are in memory at the same time. */
export interface ManifestLimits {
  readonly maxBytes: number;
  /** Less than `maxBytes`, so that a tenant leaves memory for others. */
  readonly maxBytesPerTenant: number;
}

/** Counts the objects of charts that attempts work with. */
export interface ManifestBudget {
  hasRoom(tenant: string): boolean;
  /** Counts the bytes until the signal is aborted, which is the end of the attempt. False if they are not there. */
  hold(tenant: string, bytes: number, signal: AbortSignal): boolean;
}

export function createManifestBudget({ maxBytes, maxBytesPerTenant }: ManifestLimits): ManifestBudget {
  const all = createByteBudget(maxBytes);
  const tenants = new Map<string, { readonly budget: ByteBudget; holders: number }>();
  const of = (tenant: string) =>
    tenants.get(tenant) ?? { budget: createByteBudget(maxBytesPerTenant, all), holders: 0 };
  return {
    hasRoom: (tenant) => {
      const { budget } = of(tenant);
      if (!budget.take(1)) return false;
      budget.give(1);
      return true;
    },
    hold: (tenant, bytes, signal) => {
      if (signal.aborted) return true;
      const entry = of(tenant);
      if (!entry.budget.take(bytes)) return false;
      entry.holders++;
      tenants.set(tenant, entry);
      const release = () => {
        entry.budget.give(bytes);
        if (--entry.holders === 0) tenants.delete(tenant);
      };
      signal.addEventListener('abort', release, { once: true });
      return true;
    },
  };
}
