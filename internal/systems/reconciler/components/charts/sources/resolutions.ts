import { createLruCache } from '../../../../../framework/base/collections/lru-cache.ts';
import type { Deps } from '../../../../../framework/base/index.ts';

import type { WantedRevision } from './chart-source.ts';

/** What branches and tags named a moment ago, so that the tasks of many clusters do not each ask the server. */
export interface Resolutions {
  resolve(key: string, ask: () => Promise<WantedRevision>): Promise<WantedRevision>;
  /** The revision could not be fetched: perhaps it is another one now. */
  forget(key: string): void;
}

/** Memory of some hundred sources. */
const MAX_BYTES = 512 * 1024;
const RESOLUTION_BYTES = 2000;

/** @param options.everyMs how long an answer is used */
export function createResolutions({
  clock,
  everyMs,
}: Pick<Deps, 'clock'> & { readonly everyMs: number }): Resolutions {
  const known = createLruCache<string, { readonly until: number; readonly revision: WantedRevision }>({
    maxBytes: MAX_BYTES,
    bytesOf: () => RESOLUTION_BYTES,
  });
  return {
    resolve: async (key, ask) => {
      const found = known.get(key);
      if (found !== undefined && clock.monotonic() < found.until) return found.revision;
      const revision = await ask();
      known.set(key, { until: clock.monotonic() + everyMs, revision });
      return revision;
    },
    forget: (key) => {
      known.delete(key);
    },
  };
}
