/**
 * Measures what the provider costs. Each measurement has a file under measurements/. The provider and a plain program
 * that sends the same requests (plain/) do its work, and it returns figures of both. Measurements share measured
 * processes (measure/), an environment of real control planes (environment/) and the report (report/). Nothing here
 * asserts: a figure that misses its target is reported, not failed.
 */
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { components } from './components/components.ts';
import type { Measurement, MeasurementContext } from './measurement.ts';
import { creation } from './measurements/creation.ts';
import { deletion } from './measurements/deletion.ts';
import { fleet } from './measurements/fleet.ts';
import { infrastructureManager } from './measurements/infrastructure-manager.ts';
import { mothership } from './measurements/mothership.ts';
import { pod } from './measurements/pod.ts';
import { serviceOperator } from './measurements/service-operator.ts';
import { startUp } from './measurements/start-up.ts';
import { steady } from './measurements/steady.ts';
import { watchTrigger } from './measurements/watch-trigger.ts';
import type { Machine, Report, Section } from './report/report.ts';

/** In the order in which they run. Those that need settled mappings use the ones that `creation` has made. */
export const measurements: readonly Measurement[] = [
  startUp,
  creation,
  deletion,
  steady,
  // Adds mappings to the settled ones.
  watchTrigger,
  fleet,
  serviceOperator,
  infrastructureManager,
  mothership,
  components,
  pod,
];

export interface BenchListener {
  /** A measurement begins. */
  onStart(title: string): void;
  /** Called after each measurement with the results so far, since a later one may fail. */
  onReport(report: Report): Promise<void>;
}

/** Runs the selected ones of `all`. Rejects if one of them cannot be carried out. */
export async function runBench(
  all: readonly Measurement[],
  context: MeasurementContext,
  version: string,
  { onStart, onReport }: BenchListener,
): Promise<void> {
  const { clock, options } = context;
  const machine = describeThisMachine();
  const date = new Date(clock.now()).toISOString();
  const startedAt = clock.monotonic();
  const sections: Section[] = [];
  for (const { name, title, method, run } of all) {
    if (options.only.length > 0 && !options.only.includes(name)) continue;
    onStart(title);
    sections.push({ name, title, method, notes: [], profiles: [], charts: [], ...(await run(context)) });
    const seconds = (clock.monotonic() - startedAt) / 1000;
    await onReport({ version, machine, date, seconds, sections: [...sections] });
  }
}

function describeThisMachine(): Machine {
  return {
    cores: availableParallelism(),
    model: cpus()[0]?.model.trim() ?? 'unknown CPU',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  };
}
