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

/** The profile of a process while it is busy with the work. */
export async function profileDuring(
  process: MeasuredProcess,
  context: BenchContext,
  profile: Parameters<typeof takeProfile>[2],
  work: () => Promise<unknown>,
): Promise<Profile> {
  const taking = takeProfile(process, context, profile);
  await process.during(work());
  return taking;
}

/** @param top how many functions are named */
function summarizeProfile(
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

/** Functions of the engine that a frame names without a place, by what they work for. */
const TLS_FUNCTIONS =
  /^(writev|writeLatin1String|writeUtf8String|writeBuffer|start|connect|wrap|init|setSession|getPeerCertificate|parseX509|destroySSL|addCACert|setCert|setKey|receive|TLSWrap|Hash|update|digest|shutdown|readStart)$/;

/**
 * The layers, by the place of a function as `file function`; the first that matches counts. What an engine's function such as JSON.parse
 * takes is the time of its caller.
 */
const LAYERS: readonly (readonly [layer: string, places: RegExp])[] = [
  ['TLS and sockets', /^node:(internal\/)?(tls|net|_tls_|stream|streams|crypto|js_stream|stream_base)/],
  [
    'JSON',
    /^internal\/framework\/(kube\/client\/(json-lines|rest-client)\.ts (parse|send)|kube\/client\/watch-stream\.ts parseLine|base\/json\/(json-text|in-parts|json-value\.ts (jsonSize|countValues)))/,
  ],
  ['YAML', /^node_modules\/yaml\//],
  ['copies', /^internal\/framework\/base\/json\/json-value\.ts (clone|deepFreeze|assertNesting)/],
  [
    'comparison',
    /^internal\/framework\/(base\/json\/json-value\.ts (jsonEqual|sameMembers)|kube\/cache\/informer\.ts (adopt|isSame))/,
  ],
  [
    'events',
    /^internal\/framework\/(kube\/events|kube\/object\/core-event|controller\/reconcile\/store-status)/,
  ],
  [
    'metrics',
    /^(node_modules\/prom-client\/|internal\/framework\/(base\/telemetry\/bounded-label|controller\/queue\/work-queue\.ts (queued|reprioritized|taken|retried|finished)|process\/telemetry))/,
  ],
  [
    'logging and redaction',
    /^(node_modules\/(pino|sonic-boom|quick-format-unescaped|safe-stable-stringify)\/|internal\/framework\/base\/(telemetry\/|text\/))/,
  ],
  [
    'queue and limits',
    /^internal\/framework\/(controller\/queue|base\/(concurrency|collections)|http\/limits)/,
  ],
  [
    'cache and watches',
    /^internal\/framework\/(kube\/(cache|watch|watched-objects|client\/(watch-stream|json-lines))|controller\/sources)/,
  ],
  [
    'HTTP',
    /^(node_modules\/(undici|openapi-fetch|p-retry)\/|internal\/framework\/(http|kube\/(client|transport|errors|config|cluster))\/|wasm:|hack\/bundle\/)/,
  ],
  ['reconciles', /^internal\/(framework\/(controller|managed|ownership|rest)|systems|templates)\//],
  ['Node', /^node:/],
];

/** The layer of our code, or the engine; a package or folder that is in no layer by its name. */
function partOf({ name, place }: { readonly name: string; readonly place: SourcePlace | undefined }): string {
  if (name === '(garbage collector)') return 'garbage collection';
  // V8 does not split time outside of JavaScript: system calls, TLS, the event loop.
  if (name === '(program)') return 'native code, system calls';
  if (place === undefined) return TLS_FUNCTIONS.test(name) ? 'TLS and sockets' : 'built-in functions';
  const file = place.file.replace(/^.*\/(?=node_modules\/)/, '');
  const layer = LAYERS.find(([, places]) => places.test(`${file} ${name}`));
  if (layer !== undefined) return layer[0];
  const packaged = /^node_modules\/(@[^/]+\/[^/]+|[^/]+)\//.exec(file);
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
