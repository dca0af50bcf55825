import { seeds } from '../../../../apis/gardener/kinds.ts';
import type { Gardener } from './gardener.ts';
import { ask } from './refusal.ts';

/** Regions of seeds. There are few of them and a region never changes, so each is requested once. */
export interface SeedRegions {
  /** @throws if Gardener does not give the seed */
  of(seed: string, call: { readonly signal: AbortSignal }): Promise<string | undefined>;
}

/** Seeds in memory, lest names in Shoots fill it. */
const MAX_SEEDS = 10_000;

export function createSeedRegions({ client }: Pick<Gardener, 'client'>): SeedRegions {
  /** Also of requests in progress: after a start all Runtimes ask at once. */
  const known = new Map<string, Promise<string | undefined>>();
  const request = async (name: string, signal: AbortSignal) => {
    const found = await ask(() => client.get(seeds, { name }, { signal }));
    return found.spec?.provider.region;
  };
  return {
    of: (name, { signal }) => {
      const before = known.get(name);
      if (before !== undefined) return before;
      if (known.size >= MAX_SEEDS) known.clear();
      const region = request(name, signal);
      known.set(name, region);
      region.catch(() => known.delete(name));
      return region;
    },
  };
}
