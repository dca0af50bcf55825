import { join } from 'node:path';
import type { SteadyRound, UpdateRound } from '../framework/worker.ts';
import { launch, type MeasuredProcess } from '../measure/measured-process.ts';
import { takeProfile } from '../measure/profile/take-profile.ts';
import { median } from '../measure/statistics.ts';
import type { BenchContext, Measurement, Result } from '../measurement.ts';

const ROUNDS = 5;
const SECONDS = 2;
const PROFILE_MS = 5000;

export const framework: Measurement = {
  name: 'framework',
  title: 'The framework alone',
  method:
    'One process with the real informer, cache, predicates, queue, workers, reconciler, log and metrics. The API server is bytes in memory, ' +
    'the external resource is a function call that always reports it as up to date. Every object is polled again as soon as its reconcile has ended, so the queue is never empty. ' +
    'Rates are for one core: reconciles per second of CPU time, garbage collection included; the median of several rounds. ' +
    'The plain program is a loop that copies each object, observes the external resource and compares the status. ' +
    'Filtered updates are changes of every object’s status by another client; predicates filter them.',
  run: async (context) => {
    const { clock, signal, directory, sizes } = context;
    const worker = await launch({
      name: 'framework',
      command: process.execPath,
      args: [join(import.meta.dirname, '../framework/worker.ts')],
      env: { PATH: process.env.PATH },
      directory,
      clock,
      signal,
    });
    try {
      return await measure(context, worker, sizes.objects);
    } finally {
      await worker.stop();
    }
  },
};

async function measure(
  { print, directory, dist, cpuProf }: BenchContext,
  worker: MeasuredProcess,
  objects: number,
): Promise<Result> {
  print(`steady reconciles of ${objects} objects, ${ROUNDS} times`);
  const options = { objects, rounds: ROUNDS, seconds: SECONDS };
  const steady = await worker.ask<SteadyRound[]>('steady', options);
  const profiles = cpuProf
    ? [
        await takeProfile(worker, {
          title: 'Steady reconciles of the framework alone',
          ms: PROFILE_MS,
          name: 'framework',
          directory,
          dist,
        }),
      ]
    : [];
  print('filtered updates');
  const updates = await worker.ask<UpdateRound[]>('updates', options);
  const of = <T>(rounds: readonly T[], value: (round: T) => number) => median(rounds.map(value));
  const cpuRate = of(steady, ({ reconciles, cpuMs }) => (reconciles / cpuMs) * 1000);
  const wallRate = of(steady, ({ reconciles, wallMs }) => (reconciles / wallMs) * 1000);
  return {
    figures: [
      {
        name: 'steady reconciles on one core',
        unit: '/s',
        value: cpuRate,
        plain: of(steady, ({ byHand }) => byHand),
        target: 5000,
      },
      { name: 'steady reconciles by the clock', unit: '/s', value: wallRate },
      { name: 'CPU for each steady reconcile', unit: 'µs', value: 1e6 / cpuRate },
      {
        name: 'filtered updates, on one core',
        unit: '/s',
        value: of(updates, ({ updates, cpuMs }) => (updates / cpuMs) * 1000),
        plain: of(updates, ({ parsedByHand }) => parsedByHand),
      },
    ],
    profiles,
  };
}
