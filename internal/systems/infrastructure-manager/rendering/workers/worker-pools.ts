import type { Worker } from '../../../../../apis/gardener/kinds.ts';
import type { RenderingInput } from '../model/extender.ts';
import { quoted, RenderingError } from '../model/rendering-error.ts';

const WORKERS = 'spec.shoot.provider.workers';
const ADDITIONAL_WORKERS = 'spec.shoot.provider.additionalWorkers';

/** More than Gardener runs nodes for; the time of rendering grows with both. */
const MAX_POOLS = 256;
const MAX_ZONES = 64;

/** The worker pools of the Runtime: the main one, then the additional ones. @throws RenderingError */
export function poolsOf({ spec }: RenderingInput): readonly Worker[] {
  const { workers, additionalWorkers = [] } = spec.shoot.provider;
  if (workers.length !== 1) throw new RenderingError(WORKERS, 'single main worker is required');
  if (additionalWorkers.length >= MAX_POOLS)
    throw new RenderingError(ADDITIONAL_WORKERS, `there may be at most ${MAX_POOLS} worker pools`);
  const pools = [...workers, ...additionalWorkers];
  const names = new Set<string>();
  for (const [index, { name, zones = [] }] of pools.entries()) {
    const field = index === 0 ? `${WORKERS}[0]` : `${ADDITIONAL_WORKERS}[${index - 1}]`;
    if (names.has(name))
      throw new RenderingError(`${field}.name`, `worker pool ${quoted(name)} is duplicated`);
    if (zones.length > MAX_ZONES)
      throw new RenderingError(`${field}.zones`, `there may be at most ${MAX_ZONES} zones`);
    names.add(name);
  }
  return pools;
}

/** The zones of the pools, each once, in the order in which they first occur. */
export const zonesOf = (pools: readonly Worker[]): readonly string[] => [
  ...new Set(pools.flatMap(({ zones = [] }) => zones)),
];
