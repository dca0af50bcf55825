import { sleep } from '../../../internal/base/time/clock.ts';
import type { BenchEnvironment } from './environment.ts';
import type { Population } from './population.ts';
import type { ReadyWatch } from './ready-watch.ts';

/**
 * Creates mappings one after the other while other work is in progress.
 *
 * @param fresh mappings that do not exist yet; creation stops when there are no more
 * @param readiness watches `fresh`
 * @returns ms from the API server's response to a create until the watch reported Ready, for each mapping
 */
export async function createDuring(
  { clock, signal }: BenchEnvironment,
  fresh: Population,
  readiness: ReadyWatch,
  { gapMs, goesOn }: { readonly gapMs: number; readonly goesOn: () => boolean | Promise<boolean> },
): Promise<number[]> {
  const createdAt = new Map<string, number>();
  while (await goesOn()) {
    const name = await fresh.createNext();
    if (name !== undefined) createdAt.set(name, clock.monotonic());
    await sleep(clock, gapMs, signal);
  }
  await readiness.untilReady([...createdAt.keys()]);
  return [...createdAt].map(([name, at]) => (readiness.readyAt(name) ?? Number.NaN) - at);
}
