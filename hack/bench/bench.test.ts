import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { runBench } from './bench.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { benchCommand, parseBenchOptions } from './options.ts';
import type { Report } from './report/report.ts';

const measurement = (name: string, run: Measurement['run']): Measurement => ({
  name,
  title: `Title of ${name}`,
  method: 'somehow',
  run,
});
const value = async () => ({ figures: [{ name: 'x', unit: 'ms' as const, value: 1 }] });
const fail = async () => {
  throw new Error('no luck');
};

async function run(measurements: readonly Measurement[], args: readonly string[] = []) {
  const context: MeasurementContext = {
    options: parseBenchOptions(benchCommand(measurements.map(({ name }) => name)), args),
    clock: createFakeClock(),
    signal: new AbortController().signal,
    print: () => undefined,
    directory: 'none',
    dist: 'none',
    environment: fail,
    settled: new Map(),
  };
  let report: Report | undefined;
  const outcome = runBench(measurements, context, '1.2.3', {
    onStart: () => undefined,
    onReport: async (found) => {
      report = found;
    },
  });
  await outcome.catch(() => undefined);
  return { outcome, report, names: report?.sections.map(({ name }) => name) };
}

test('measurements run in their order, each for a section of the report', async () => {
  const { report, names } = await run([measurement('a', value), measurement('b', value)]);
  expect(report).toMatchObject({ version: '1.2.3', date: '2024-01-01T00:00:00.000Z' });
  expect(names).toEqual(['a', 'b']);
  expect(report?.sections[0]).toMatchObject({ title: 'Title of a', figures: [{ name: 'x' }], notes: [] });
});

test('only the selected measurements run', async () => {
  const { names } = await run([measurement('a', value), measurement('b', value)], ['--only', 'b']);
  expect(names).toEqual(['b']);
});

test('results from before a failure are kept', async () => {
  const { outcome, names } = await run([measurement('a', value), measurement('b', fail)]);
  await expect(outcome).rejects.toThrow('no luck');
  expect(names).toEqual(['a']);
});
