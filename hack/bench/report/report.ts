import type { Chart } from './chart.ts';
import type { Figure } from './figures.ts';

/** What a run has found, as `dist/bench.json` holds it. */
export interface Report {
  readonly version: string;
  readonly machine: Machine;
  /** ISO 8601, when the run began. */
  readonly date: string;
  /** How long the run took. */
  readonly seconds: number;
  readonly sections: readonly Section[];
}

export interface Machine {
  readonly cores: number;
  readonly model: string;
  readonly memoryGiB: number;
  readonly platform: string;
  readonly node: string;
  /** The load average of the machine in the minute before the run. */
  readonly loadBefore: number;
}

/** The results of one measurement. */
export interface Section extends Required<Result> {
  /** What `--only` takes. */
  readonly name: string;
  readonly title: string;
  readonly method: string;
}

export interface Result {
  readonly figures: readonly Figure[];
  /** What was seen besides, a line each: what a figure is made of. */
  readonly notes?: readonly string[];
  readonly profiles?: readonly Profile[];
  readonly charts?: readonly Chart[];
}

/** Where the CPU time of one measurement went. */
export interface Profile {
  readonly title: string;
  /** What the thread was busy for. */
  readonly busyMs: number;
  /** Most costly first. No place: it has no source, as the garbage collector and functions of the engine. */
  readonly functions: readonly (Cost & { readonly name: string; readonly place?: SourcePlace | undefined })[];
  readonly parts: readonly (Cost & { readonly part: string })[];
}

/** A place in a source file; lines from 1. */
export interface SourcePlace {
  /** From the repository's root, with slashes; `node:…` for Node's own. */
  readonly file: string;
  readonly line: number;
}

interface Cost {
  readonly selfMs: number;
  /** Share of the time in which the CPU was not idle. */
  readonly share: number;
}

/** The parts of one result after the other. */
export const joinResults = (results: readonly Result[]): Required<Result> => ({
  figures: results.flatMap(({ figures }) => figures),
  notes: results.flatMap(({ notes = [] }) => notes),
  profiles: results.flatMap(({ profiles = [] }) => profiles),
  charts: results.flatMap(({ charts = [] }) => charts),
});
