/**
 * Where the CPU time went, from a V8 profile: the functions with the most time of their own, and the same by the part
 * of the program they belong to.
 */

/** The part of a `.cpuprofile` file that is used: a tree of calls, and samples that point into it. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  /** Node IDs. */
  readonly samples?: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas?: readonly number[];
}
interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
}
interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** A place in a source file; lines from 1. */
export interface SourcePlace {
  /** From the repository's root, with slashes; `node:…` for Node's own. */
  readonly file: string;
  readonly line: number;
}

export interface FunctionCost {
  readonly name: string;
  /** Absent for what has no source: the garbage collector, functions of the engine. */
  readonly place?: SourcePlace;
  readonly selfMs: number;
  /** Share of the time in which the CPU was not idle. */
  readonly share: number;
}

export interface PartCost {
  readonly part: string;
  readonly selfMs: number;
  readonly share: number;
}

export interface ProfileSummary {
  /** What the thread was busy for. */
  readonly busyMs: number;
  /** Most costly first. */
  readonly functions: readonly FunctionCost[];
  readonly parts: readonly PartCost[];
}

/** Where a call frame comes from; undefined for frames without a source. */
export type Locate = (frame: CallFrame) => SourcePlace | undefined;

/** @param top how many functions are named */
export function summarizeProfile(profile: CpuProfile, locate: Locate, top: number): ProfileSummary {
  const self = selfTimes(profile);
  const functions = new Map<string, { name: string; place?: SourcePlace; selfMs: number }>();
  for (const { id, callFrame } of profile.nodes) {
    const selfMs = self.get(id) ?? 0;
    if (selfMs === 0 || callFrame.functionName === '(idle)') continue;
    const place = locate(callFrame);
    const name = callFrame.functionName || '(anonymous)';
    const key = place === undefined ? name : `${name} ${place.file}:${place.line}`;
    const known = functions.get(key);
    if (known === undefined) functions.set(key, { name, ...(place ? { place } : {}), selfMs });
    else known.selfMs += selfMs;
  }
  const all = [...functions.values()];
  const busyMs = all.reduce((total, { selfMs }) => total + selfMs, 0);
  const withShare = <T extends { selfMs: number }>(cost: T) => ({ ...cost, share: cost.selfMs / busyMs });
  const byCost = (a: { selfMs: number }, b: { selfMs: number }) => b.selfMs - a.selfMs;
  const parts = Map.groupBy(all, ({ name, place }) => partOf(name, place));
  return {
    busyMs,
    functions: all.sort(byCost).slice(0, top).map(withShare),
    parts: [...parts]
      .map(([part, members]) =>
        withShare({ part, selfMs: members.reduce((total, m) => total + m.selfMs, 0) }),
      )
      .sort(byCost),
  };
}

function selfTimes({ samples = [], timeDeltas = [] }: CpuProfile): Map<number, number> {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries()) {
    // A sample stands for the time until the next one.
    const ms = (timeDeltas[index + 1] ?? 0) / 1000;
    times.set(id, (times.get(id) ?? 0) + ms);
  }
  return times;
}

/** The layer of our code, the package, `Node`, or the engine. */
function partOf(name: string, place: SourcePlace | undefined): string {
  if (name === '(garbage collector)') return 'garbage collection';
  // V8 does not split time outside of JavaScript: system calls, TLS, the event loop.
  if (name === '(program)') return 'native code, system calls';
  if (place === undefined) return 'built-in functions';
  const { file } = place;
  if (file.startsWith('node:')) return 'Node';
  const packaged = /^(?:.*\/)?node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(file);
  if (packaged !== null) return packaged[1] ?? file;
  return file.split('/').slice(0, 2).join('/');
}
