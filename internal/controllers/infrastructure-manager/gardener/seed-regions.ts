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
  const known = new Map<string, string | undefined>();
  return {
    of: async (name, { signal }) => {
      if (known.has(name)) return known.get(name);
      const found = await ask(() => client.get(seeds, { name }, { signal }));
      const region = found.spec?.provider.region;
      if (known.size >= MAX_SEEDS) known.clear();
      known.set(name, region);
      return region;
    },
  };
}
