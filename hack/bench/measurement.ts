import type { Clock } from '../../internal/base/time/clock.ts';
import type { BenchEnvironment } from './environment/environment.ts';
import type { Population } from './environment/population.ts';
import type { ProfileSummary } from './measure/profile/cpu-profile.ts';

/** What a figure counts. Of `/s` more is better, of all others less. */
export type Unit = 's' | 'ms' | 'µs' | 'MiB' | '/s' | '';

/** One row of the report: what the provider took, beside what a plain program took for the same in the same run. */
export interface Figure {
  /** As a noun phrase: `1,000 new mappings until all are Ready`. */
  readonly name: string;
  readonly unit: Unit;
  readonly value: number;
  /** In the same unit; absent where a plain program has nothing of the kind. */
  readonly plain?: number;
  /** The target of the project: an upper bound, or for `/s` a lower bound. */
  readonly target?: number;
}

/** Where the CPU time of one measurement went. */
export interface Profile extends ProfileSummary {
  readonly title: string;
}

export interface Result {
  readonly figures: readonly Figure[];
  /** What was seen besides, a line each: what a figure is made of. */
  readonly notes?: readonly string[];
  readonly profiles?: readonly Profile[];
}

export interface BenchContext {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Prints the current step. */
  readonly print: (text: string) => void;
  /** A folder of the bench, removed at the end together with the processes that its pid files name. */
  readonly directory: string;
  /** Where results are kept. */
  readonly dist: string;
  readonly sizes: Sizes;
  /** Take CPU profiles, after the figures. */
  readonly cpuProf: boolean;
  /** The one environment of the run, started on first use. */
  environment(): Promise<BenchEnvironment>;
  /** A population that the provider has made Ready; no provider runs when it is returned. */
  settled(mappings: number): Promise<Population>;
  /** Keeps a population, all of it Ready, for `settled`. */
  keep(population: Population): void;
}

/** How much is measured. */
export interface Sizes {
  /** Numbers of mappings, rising. What is measured with one number only takes the last. */
  readonly mappings: readonly number[];
  readonly perInstance: number;
  readonly clusters: number;
  /** Objects of the framework alone. */
  readonly objects: number;
  /** Of the one population that is larger than all others; `perInstance` holds there as well. */
  readonly fleet: { readonly mappings: number; readonly clusters: number };
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
