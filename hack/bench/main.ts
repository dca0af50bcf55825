/** Measures the provider (`make bench`, `npm run bench -- --help`) and writes the report. */
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { startWatchdog } from '../control-planes/process/watchdog.ts';
import { measurements, runBench } from './bench.ts';
import { type BenchEnvironment, openBenchEnvironment } from './environment/environment.ts';
import type { MeasurementContext } from './measurement.ts';
import { benchCommand, parseBenchOptions } from './options.ts';
import { renderChart, schemes } from './report/chart.ts';
import { CHARTS, chartFile, chartsOf, renderMarkdown, renderText } from './report/render.ts';
import type { Report } from './report/report.ts';

const ROOT = join(import.meta.dirname, '../..');
const DIST = join(ROOT, 'dist');

const abortController = new AbortController();
/** npm forwards a signal that the terminal has sent to both: two within this time, in ms, count as one. */
const ONCE_MS = 500;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  let firstAt: number | undefined;
  process.on(signal, () => {
    const at = systemClock.monotonic();
    firstAt ??= at;
    process.exitCode = 128 + constants.signals[signal];
    // The second signal exits immediately; the watchdogs remove what is left.
    if (at - firstAt > ONCE_MS) process.exit();
    if (!abortController.signal.aborted) console.error(`bench: ${signal}, stopping`);
    abortController.abort(new Error(`interrupted by ${signal}`));
  });
}

try {
  await bench();
} catch (error) {
  console.error(`bench: ${messageOf(error)}`);
  process.exitCode ??= 1;
}
// Abandoned work may still keep the process alive.
process.exit();

/** The page with its charts. */
async function writeReport(report: Report, folder: string): Promise<void> {
  await mkdir(join(folder, CHARTS), { recursive: true });
  for (const chart of chartsOf(report)) {
    for (const scheme of schemes)
      await writeFile(join(folder, chartFile(chart, scheme)), renderChart(chart, scheme));
  }
  await writeFile(join(folder, 'performance.md'), renderMarkdown(report));
}

async function bench(): Promise<void> {
  const options = parseBenchOptions(
    benchCommand(measurements.map(({ name }) => name)),
    process.argv.slice(2),
  );
  const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  await mkdir(DIST, { recursive: true });
  const directory = await mkdtemp(join(tmpdir(), 'kyma-bench-'));
  const endWatchdog = startWatchdog(directory);
  const startedAt = systemClock.monotonic();
  const printLine = (text: string) => {
    const seconds = (systemClock.monotonic() - startedAt) / 1000;
    console.error(`${seconds.toFixed(1).padStart(6)} s  ${text}`);
  };
  let report: Report | undefined;
  try {
    await using stack = new AsyncDisposableStack();
    let environment: Promise<BenchEnvironment> | undefined;
    const context: MeasurementContext = {
      options,
      clock: systemClock,
      signal: abortController.signal,
      print: (text) => printLine(`  ${text}`),
      directory,
      dist: DIST,
      environment: () => {
        environment ??= openBenchEnvironment(context, stack);
        return environment;
      },
      settled: new Map(),
    };
    await runBench(measurements, context, version, {
      onStart: printLine,
      onReport: async (found) => {
        report = found;
        await writeFile(join(DIST, 'bench.json'), `${JSON.stringify(found, undefined, 2)}\n`);
      },
    });
    // Part of the figures, or figures of other sizes, are not the project's.
    const isWhole = process.argv.length === 2;
    if (report !== undefined) await writeReport(report, isWhole ? join(ROOT, 'docs') : DIST);
  } finally {
    if (report !== undefined) console.log(renderText(report));
    await endWatchdog();
  }
}
