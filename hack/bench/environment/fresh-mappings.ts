import { sleep } from '../../../internal/base/time/clock.ts';
import type { Landscape } from './environment.ts';
import type { Population } from './population.ts';
import type { ReadyWatch } from './ready-watch.ts';

/**
 * Creates mappings one after the other for as long as something else goes on, as its users would not wait for it to end.
 *
 * @param fresh none of which was created yet; what goes on longer than there are mappings sees no more of them
 * @param readiness sees `fresh`
 * @returns how long each took from the API server's answer until a watch told that it was Ready, in ms
 */
export async function createMeanwhile(
  { clock, signal }: Landscape,
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
