import type { Clock } from '../../internal/framework/base/time/clock.ts';
import type { BenchOptions } from './options.ts';

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
}
