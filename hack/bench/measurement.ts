import type { BenchContext } from './context.ts';
import type { BenchEnvironment } from './environment/environment.ts';
import type { Population } from './environment/population.ts';
import type { Result } from './report/report.ts';

export interface MeasurementContext extends BenchContext {
  /** The one environment of the run, started on first use. */
  environment(): Promise<BenchEnvironment>;
  /** Populations that a provider has made Ready, by their number of mappings. */
  readonly settled: Map<number, Population>;
}

export interface Measurement {
  /** What `--only` takes. */
  readonly name: string;
  readonly title: string;
  /** How it is measured and what the plain program does meanwhile, for the report. */
  readonly method: string;
  /** What it starts it stops. */
  run(context: MeasurementContext): Promise<Result>;
}
