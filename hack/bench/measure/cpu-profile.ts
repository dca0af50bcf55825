/**
 * Where the CPU time went, from a V8 profile: the functions with the most time of their own, and the same by the part
 * of the program they belong to.
 */
import { readFileSync } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchContext } from '../context.ts';
import type { Profile, SourcePlace } from '../report/report.ts';
import type { MeasuredProcess } from './measured-process.ts';
import { sum } from './statistics.ts';

/** The part of a `.cpuprofile` file that is used: a tree of calls, and samples that point into it. */
export interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
  /** Node IDs. */
  readonly samples?: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas?: readonly number[];
}
interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

/** Where a call frame comes from; undefined for frames without a source. */
export type Locate = (frame: CallFrame) => SourcePlace | undefined;

const ROOT = join(import.meta.dirname, '../../..');
const TOP = 25;

/**
 * Where the process spends the coming `ms`. Profiling slows it down: figures are taken before. The whole profile is kept
 * as `bench-<name>.cpuprofile`, for the tools that show one.
 */
export async function takeProfile(
  process: MeasuredProcess,
  { directory, dist }: BenchContext,
  { name, title, ms }: { readonly name: string; readonly title: string; readonly ms: number },
): Promise<Profile> {
  const file = join(directory, `${name}.cpuprofile`);
  await process.profile(ms, file);
  await copyFile(file, join(dist, `bench-${name}.cpuprofile`));
  const profile: CpuProfile = JSON.parse(await readFile(file, 'utf8'));
  return { title, ...summarizeProfile(profile, createSourceLocator(ROOT), TOP) };
}

/** @param top how many functions are named */
export function summarizeProfile(
  { nodes, samples = [], timeDeltas = [] }: CpuProfile,
  locate: Locate,
  top: number,
): Omit<Profile, 'title'> {
  // A sample stands for the time until the next one.
  const timed = samples.map((id, index) => ({ id, ms: (timeDeltas[index + 1] ?? 0) / 1000 }));
  const spent = Map.groupBy(timed, ({ id }) => id);
  const calls = nodes
    .filter(({ callFrame }) => callFrame.functionName !== '(idle)')
    .map(({ id, callFrame }) => ({
      name: callFrame.functionName || '(anonymous)',
      place: locate(callFrame),
      selfMs: sum((spent.get(id) ?? []).map(({ ms }) => ms)),
    }))
    .filter(({ selfMs }) => selfMs > 0);
  const busyMs = sum(calls.map(({ selfMs }) => selfMs));
  const costs = (keyOf: (call: (typeof calls)[number]) => string) =>
    [...Map.groupBy(calls, keyOf)]
      .map(([key, members]) => ({ key, members, selfMs: sum(members.map(({ selfMs }) => selfMs)) }))
      .sort((a, b) => b.selfMs - a.selfMs)
      .map((cost) => ({ ...cost, share: cost.selfMs / busyMs }));
  return {
    busyMs,
    functions: costs(({ name, place }) => `${name} ${place?.file}:${place?.line}`)
      .slice(0, top)
      .flatMap(({ members: [call], selfMs, share }) => (call ? [{ ...call, selfMs, share }] : [])),
    parts: costs(partOf).map(({ key, selfMs, share }) => ({ part: key, selfMs, share })),
  };
}

/** The layer of our code, the package, `Node`, or the engine. */
function partOf({ name, place }: { readonly name: string; readonly place: SourcePlace | undefined }): string {
  if (name === '(garbage collector)') return 'garbage collection';
  // V8 does not split time outside of JavaScript: system calls, TLS, the event loop.
  if (name === '(program)') return 'native code, system calls';
  if (place === undefined) return 'built-in functions';
  const { file } = place;
  if (file.startsWith('node:')) return 'Node';
  const packaged = /^(?:.*\/)?node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(file);
  return (
    packaged?.[1] ??
    file
      .split('/')
      .slice(0, file.startsWith('internal/') ? 3 : 2)
      .join('/')
  );
}

/** Maps call frames to sources, through the source map beside a bundle. */
function createSourceLocator(root: string): Locate {
  const maps = new Map<string, SourceMap | undefined>();
  const placeOf = (path: string, line: number): SourcePlace => ({
    file: relative(root, path).split(sep).join('/'),
    line: line + 1,
  });
  return ({ url, lineNumber, columnNumber }) => {
    if (url === '') return undefined;
    if (url.startsWith('node:')) return { file: url, line: lineNumber + 1 };
    const file = url.startsWith('file:') ? fileURLToPath(url) : url;
    if (!maps.has(file)) maps.set(file, readSourceMap(`${file}.map`));
    const entry = maps.get(file)?.findEntry(lineNumber, columnNumber);
    if (entry === undefined || !('originalSource' in entry)) return placeOf(file, lineNumber);
    return placeOf(resolve(dirname(file), entry.originalSource), entry.originalLine);
  };
}

function readSourceMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Files that run without a build have none.
    return undefined;
  }
}
