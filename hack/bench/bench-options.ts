import { parseArgs } from 'node:util';
import type { Sizes } from './measurement.ts';

export interface BenchOptions {
  /** Names of measurements; empty: all. */
  readonly only: readonly string[];
  readonly sizes: Sizes;
  readonly cpuProf: boolean;
  readonly help: boolean;
}

/** @param names of all measurements */
export const usage = (names: readonly string[]): string => `npm run bench -- [options]

  --only NAME          run one measurement; repeatable
                       (${names.join(', ')})
  --cpu-prof           show where CPU time goes, and keep the profiles as dist/bench-*.cpuprofile;
                       a full run does so anyway
  --mappings N,N       numbers of mappings, rising (default: 100,1000)
  --per-instance N     mappings that share a database and its credentials (default: 10)
  --clusters N         Kyma clusters that the databases lie on (default: 1)
  --objects N          objects of the framework alone (default: 10000)
  --fleet-mappings N   mappings of the fleet (default: 10000)
  --fleet-clusters N   Kyma clusters of the fleet (default: 50)

A full run writes docs/performance.md and dist/bench.json, any other dist/bench.json alone.`;

/** @throws Error with a text for the user */
export function parseBenchOptions(args: readonly string[], names: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string', multiple: true, default: [] },
      'cpu-prof': { type: 'boolean', default: false },
      mappings: { type: 'string', default: '100,1000' },
      'per-instance': { type: 'string', default: '10' },
      clusters: { type: 'string', default: '1' },
      objects: { type: 'string', default: '10000' },
      'fleet-mappings': { type: 'string', default: '10000' },
      'fleet-clusters': { type: 'string', default: '50' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  for (const name of values.only) {
    if (!names.includes(name))
      throw new Error(`there is no measurement ${name}; there are ${names.join(', ')}`);
  }
  const mappings = values.mappings.split(',').map((text) => positive('--mappings', text));
  if (mappings.some((value, index) => value <= (mappings[index - 1] ?? 0)))
    throw new Error('--mappings must rise, as in 100,1000');
  return {
    only: values.only,
    cpuProf: values['cpu-prof'] || values.only.length === 0,
    help: values.help,
    sizes: {
      mappings,
      perInstance: positive('--per-instance', values['per-instance']),
      clusters: positive('--clusters', values.clusters),
      objects: positive('--objects', values.objects),
      fleet: {
        mappings: positive('--fleet-mappings', values['fleet-mappings']),
        clusters: positive('--fleet-clusters', values['fleet-clusters']),
      },
    },
  };
}

function positive(option: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (value < 1) throw new Error(`${option} wants a whole number above zero, not ${JSON.stringify(text)}`);
  return value;
}
