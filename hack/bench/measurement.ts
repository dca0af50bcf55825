import type { Clock } from '../../internal/base/time/clock.ts';
import type { BenchEnvironment } from './environment/environment.ts';
import type { BenchOptions } from './options.ts';
import type { Result } from './report/report.ts';

export interface BenchContext {
  readonly options: BenchOptions;
  readonly clock: Clock;
  /** Ends every wait. */
  readonly signal: AbortSignal;
  /** Prints the current step. */
  readonly print: (text: string) => void;
  /** A folder of the bench, removed at the end together with the processes that its pid files name. */
  readonly directory: string;
  /** Where results are kept. */
  readonly dist: string;
  /** The one environment of the run, started on first use. */
  environment(): Promise<BenchEnvironment>;
}

export interface Measurement {
  /** What `--only` takes. */
  readonly name: string;
  readonly title: string;
  /** How it is measured and what the plain program does meanwhile, for the report. */
  readonly method: string;
  /** What it starts it stops. */
  run(context: BenchContext): Promise<Result>;
}
