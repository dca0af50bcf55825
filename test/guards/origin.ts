import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where in the code something was done. */
export interface Origin {
  /** `internal/x/y.ts#declaration`, relative to the repository; of a test the file alone. */
  readonly where: string;
  /** Whether the program did it, rather than a test, its fixtures or a fake. */
  readonly isProgram: boolean;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DECLARATION = /^(?:export )?(?:default )?(?:async )?(?:function\*?|const|let|class) (\w+)/;
/** Files that send what their callers ask for. */
const SENDERS =
  /^internal\/framework\/(kube\/(client|fakes|transport)|http|base\/(concurrency|time|telemetry)|process\/telemetry)\/|^internal\/systems\/(inventory\/hana-cloud|btp\/service-manager|reconciler\/client)\/|\/(limited-client|managed-clusters|overlay-client)\.ts$|\/(fake-[\w-]+(\.fixture)?|mapping\.fixture)\.ts$|^test\/guards\/[\w-]+\.ts$/;
/** The connections of campaigns, by which the program is called, and which pass its calls on. */
export const CAMPAIGN_NETWORK = /^test\/campaign\/actions\/network\.ts$/;
const OF_TESTS = /^(test|hack)\/|\.(test|fixture)\.ts$|\/(fakes|scenarios)\//;
/** Of the program, between a request and what asked for it. */
const FRAMES = 40;

/** A frame of a stack, as V8 describes it. */
export type Frame = Pick<NodeJS.CallSite, 'getFileName' | 'getLineNumber'>;

/** The present stack, from which an origin is read only when it is needed: that costs more than to keep it. */
export function markCall(): Error {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const mark = new Error();
  Error.stackTraceLimit = limit;
  return mark;
}

/**
 * The nearest caller that is no client. Undefined if the stack has none: it contains what awaits the call, but no callbacks
 * of timers and events before it.
 */
export const originOfCall = (through?: RegExp): Origin | undefined => originOf(markCall(), through);

/** The same of a stack that was kept, whose text nothing has read. The text would take the position of each frame. */
export function originOf(mark: Error, through?: RegExp): Origin | undefined {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_error, frames) => frames;
  const frames: unknown = mark.stack;
  Error.prepareStackTrace = prepareStackTrace;
  return originIn(Array.isArray(frames) ? frames : [], through);
}

/** @param through files that only pass on what they are given, besides clients */
export function originIn(frames: readonly Frame[], through = /^$/): Origin | undefined {
  for (const frame of frames) {
    const source = sourceOf(frame.getFileName() ?? '');
    if (source === undefined || through.test(source.file)) continue;
    const { file, path, isProgram } = source;
    return {
      where: isProgram ? `${file}#${declarationAt(path, frame.getLineNumber() ?? 0)}` : file,
      isProgram,
    };
  }
  return undefined;
}

interface Source {
  readonly path: string;
  /** The path from the root of the repository. */
  readonly file: string;
  readonly isProgram: boolean;
}

const known = new Map<string, Source | undefined>();

/** Undefined: the file sends for others, or is none of the repository. */
function sourceOf(name: string): Source | undefined {
  if (known.has(name)) return known.get(name);
  const path = name.replace(/^file:\/\//, '').replace(/\?file=\d+$/, '');
  const file = path.startsWith(ROOT) ? path.slice(ROOT.length) : undefined;
  const isOther = file === undefined || file.startsWith('node_modules/') || SENDERS.test(file);
  const source = isOther ? undefined : { path, file, isProgram: !OF_TESTS.test(file) };
  known.set(name, source);
  return source;
}

const sources = new Map<string, readonly string[]>();

/** The name of the declaration of a module that contains a line: callbacks in it have none that stays the same. */
function declarationAt(path: string, line: number): string {
  const lines = sources.get(path) ?? readFileSync(path, 'utf8').split('\n');
  sources.set(path, lines);
  for (let at = line - 1; at >= 0; at--) {
    const [, name] = DECLARATION.exec(lines[at] ?? '') ?? [];
    if (name !== undefined) return name;
  }
  return 'module';
}
