/**
 * Measures what the provider costs. Each measurement has a file under measurements/. The provider and a plain program
 * that sends the same requests (plain/) do its work, and it returns figures of both. Measurements share measured
 * processes (measure/), an environment of real control planes (environment/) and the report (report/). Nothing here
 * asserts: a figure that misses its target is reported, not failed.
 */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import type { Clock } from '../../internal/base/time/clock.ts';
import type { BenchOptions } from './bench-options.ts';
import { type BenchEnvironment, openBenchEnvironment } from './environment/environment.ts';
import { type Population, preparePopulation } from './environment/population.ts';
import type { BenchContext, Measurement } from './measurement.ts';
import { createAll } from './measurements/creation.ts';
import type { Machine, Report, Section } from './report/report.ts';

export interface RunOptions {
  readonly measurements: readonly Measurement[];
  readonly options: BenchOptions;
  /** Of the provider. */
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  /** A folder of the bench's own, guarded by a watchdog. */
  readonly directory: string;
  /** Where profiles are kept. */
  readonly dist: string;
  /** Called after each measurement with all results so far, since a later one may fail. */
  readonly onReport: (report: Report) => Promise<void>;
}

/** Runs the selected measurements. Rejects if one of them cannot be carried out. */
export async function runBench(run: RunOptions): Promise<Report> {
  const { measurements, options, version, clock, print, onReport } = run;
  await using stack = new AsyncDisposableStack();
  const context = createContext(run, stack);
  const machine = describeThisMachine();
  const date = new Date(clock.now()).toISOString();
  const startedAt = clock.monotonic();
  const sections: Section[] = [];
  const report = (): Report => ({
    version,
    machine,
    date,
    seconds: (clock.monotonic() - startedAt) / 1000,
    sections: [...sections],
  });
  for (const { name, title, method, run: measure } of measurements) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    print(title);
    const { figures, notes = [], profiles = [] } = await measure(context);
    sections.push({ name, title, method, figures, notes, profiles });
    await onReport(report());
  }
  return report();
}

function createContext(run: RunOptions, stack: AsyncDisposableStack): BenchContext {
  const { clock, signal, print, directory, dist } = run;
  const { sizes, cpuProf } = run.options;
  const settled = new Map<number, Population>();
  let environment: Promise<BenchEnvironment> | undefined;
  const context: BenchContext = {
    clock,
    signal,
    print: (text) => print(`  ${text}`),
    directory,
    dist,
    sizes,
    cpuProf,
    environment: () => {
      environment ??= openBenchEnvironment({ directory, clock, print: context.print, signal, stack });
      return environment;
    },
    keep: (population) => {
      settled.set(population.mappings, population);
    },
    settled: async (mappings) => {
      const known = settled.get(mappings);
      if (known !== undefined) return known;
      const open = await context.environment();
      const population = await preparePopulation(open, `settled-${mappings}`, { ...sizes, mappings });
      await createAll(context, open, population, 'provider');
      context.keep(population);
      return population;
    },
  };
  return context;
}

function describeThisMachine(): Machine {
  const [load = 0] = loadavg();
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown CPU',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    loadBefore: load,
  };
}
