import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../internal/base/time/fake-clock.ts';
import { type RunOptions, runBench } from './bench.ts';
import type { Measurement } from './measurement.ts';
import type { Report } from './report/report.ts';

const clock = createFakeClock();
const measurement = (name: string, run: Measurement['run']): Measurement => ({
  name,
  title: `Title of ${name}`,
  method: 'somehow',
  run,
});
const value = async () => ({ figures: [{ name: 'x', unit: 'ms' as const, value: 1 }] });

async function run(measurements: readonly Measurement[], only: readonly string[] = []) {
  const printed: Report[] = [];
  const options: RunOptions = {
    measurements,
    options: {
      only,
      cpuProf: false,
      help: false,
      sizes: {
        mappings: [1],
        perInstance: 1,
        clusters: 1,
        objects: 1,
        fleet: { mappings: 1, clusters: 1 },
      },
    },
    version: '1.2.3',
    clock,
    signal: new AbortController().signal,
    print: () => undefined,
    directory: 'none',
    dist: 'none',
    onReport: async (report) => {
      printed.push(report);
    },
  };
  const outcome = runBench(options);
  await outcome.catch(() => undefined);
  return { outcome, printed };
}

test('measurements run in their order, each for a section of the report', async () => {
  const { outcome } = await run([measurement('a', value), measurement('b', value)]);
  const report = await outcome;
  expect(report).toMatchObject({ version: '1.2.3', date: '2024-01-01T00:00:00.000Z' });
  expect(report.sections.map(({ name, figures }) => `${name} ${figures.length}`)).toEqual(['a 1', 'b 1']);
});

test('only the selected measurements run', async () => {
  const { outcome } = await run([measurement('a', value), measurement('b', value)], ['b']);
  expect((await outcome).sections.map(({ name }) => name)).toEqual(['b']);
});

test('results from before a failure are kept', async () => {
  const fail = async () => {
    throw new Error('no luck');
  };
  const { outcome, printed } = await run([measurement('a', value), measurement('b', fail)]);
  await expect(outcome).rejects.toThrow('no luck');
  expect(printed.at(-1)?.sections.map(({ name }) => name)).toEqual(['a']);
});
