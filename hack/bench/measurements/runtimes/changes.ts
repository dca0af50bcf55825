/** Changes of worker pools, and when Gardener had answered to the patch of each. */
import { sleep } from '../../../../internal/framework/base/time/clock.ts';
import type { Program } from '../../environment/programs.ts';
import type { Runtimes, RuntimesEnvironment } from '../../environment/runtimes.ts';
import { inParallel } from '../../measure/in-parallel.ts';
import { count } from '../../report/figures.ts';

/** Changes one after the other. */
const IDLE_CHANGES = 100;
const PAUSE_MS = 50;

export const endOf = ({ at, durationMs = 0 }: { readonly at: number; readonly durationMs?: number }) =>
  at + durationMs;

/** Patches of a Shoot by the program; in ms since the epoch. */
const patchesOf = ({ server }: RuntimesEnvironment, name: string) =>
  server
    .requests({ route: 'shoots', method: 'PUT', instance: name, status: 200 })
    .map(endOf)
    .sort((a, b) => a - b);

export async function changesOneByOne(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  names: readonly string[],
): Promise<number[]> {
  const { clock, signal } = environment;
  const times: number[] = [];
  for (const name of names.slice(0, IDLE_CHANGES)) {
    const at = clock.now();
    await program.during(population.change(name, 21));
    times.push((await untilPatched(environment, name, at)) - at);
    await sleep(clock, PAUSE_MS, signal);
  }
  return times;
}

/** When the Shoot was patched after `since`, in ms since the epoch. */
export async function untilPatched(
  environment: RuntimesEnvironment,
  name: string,
  since: number,
): Promise<number> {
  const { clock, signal } = environment;
  const deadline = clock.monotonic() + 120_000;
  for (;;) {
    const patched = patchesOf(environment, name).find((end) => end >= since);
    if (patched !== undefined) return patched;
    if (clock.monotonic() > deadline) throw new Error(`the Shoot of ${name} was not patched`);
    await sleep(clock, 20, signal);
  }
}

export async function changesAtOnce(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  names: readonly string[],
  maximum: number,
): Promise<{ readonly times: readonly number[]; readonly seconds: number }> {
  environment.print(`${count(names.length)} changes at once`);
  const { clock } = environment;
  const since = clock.now();
  const sent = new Map<string, number>();
  await inParallel(names, async (name) => {
    sent.set(name, clock.now());
    await program.during(population.change(name, maximum));
  });
  const ends: number[] = [];
  const times: number[] = [];
  for (const name of names) {
    const at = sent.get(name) ?? since;
    const end = await untilPatched(environment, name, at);
    ends.push(end);
    times.push(end - at);
  }
  return { times, seconds: (Math.max(...ends) - since) / 1000 };
}
