import type { Figure, Profile } from '../measurement.ts';

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
export interface Section {
  /** What `--only` takes. */
  readonly name: string;
  readonly title: string;
  readonly method: string;
  readonly figures: readonly Figure[];
  readonly notes: readonly string[];
  readonly profiles: readonly Profile[];
}

/** `EPYC, 2 cores, 24 GiB, linux x64, Node v24.21.0; load 0.3 before the run` */
export function describeMachine({ cores, model, memoryGiB, platform, node, loadBefore }: Machine): string {
  const load = `load ${loadBefore.toFixed(1)} before the run`;
  return `${model}, ${cores} core${cores === 1 ? '' : 's'}, ${memoryGiB} GiB, ${platform}, Node ${node}; ${load}`;
}

/** The command that repeats one measurement. */
export const commandOf = ({ name }: Pick<Section, 'name'>): string => `npm run bench -- --only ${name}`;
