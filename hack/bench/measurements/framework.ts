import { join } from 'node:path';
import type { SteadyRound, UpdateRound } from '../framework/worker.ts';
import { takeProfile } from '../measure/cpu-profile.ts';
import { launch } from '../measure/measured-process.ts';
import { median } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';

const ROUNDS = 5;
const SECONDS = 2;
const PROFILE_MS = 5000;
const WORKER = join(import.meta.dirname, '../framework/worker.ts');

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
    const { print, options } = context;
    const env = { PATH: process.env.PATH };
    await using worker = await launch(context, {
      name: 'framework',
      command: process.execPath,
      args: [WORKER],
      env,
    });
    print(`steady reconciles of ${options.objects} objects, ${ROUNDS} times`);
    const size = { objects: options.objects, rounds: ROUNDS, seconds: SECONDS };
    const steady = await worker.ask<SteadyRound[]>('steady', size);
    const title = 'Steady reconciles of the framework alone';
    const profile = { title, ms: PROFILE_MS, name: 'framework' };
    const profiles = options.cpuProf ? [await takeProfile(worker, context, profile)] : [];
    print('filtered updates');
    const updates = await worker.ask<UpdateRound[]>('updates', size);
    const medianOf = <T>(rounds: readonly T[], value: (round: T) => number) => median(rounds.map(value));
    const byCpu = medianOf(steady, ({ reconciles, cpuMs }) => (1000 * reconciles) / cpuMs);
    const byClock = medianOf(steady, ({ reconciles, wallMs }) => (1000 * reconciles) / wallMs);
    const byHand = medianOf(steady, (round) => round.byHand);
    const filtered = medianOf(updates, ({ updates, cpuMs }) => (1000 * updates) / cpuMs);
    const parsedByHand = medianOf(updates, (round) => round.parsedByHand);
    return {
      figures: [
        { name: 'steady reconciles on one core', unit: '/s', value: byCpu, plain: byHand, target: 5000 },
        { name: 'steady reconciles by the clock', unit: '/s', value: byClock },
        { name: 'CPU for each steady reconcile', unit: 'µs', value: 1e6 / byCpu },
        { name: 'filtered updates, on one core', unit: '/s', value: filtered, plain: parsedByHand },
      ],
      profiles,
    };
  },
};
