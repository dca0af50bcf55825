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
const FRAME = /^ {4}at (?:.* \()?(?:async )?(?:file:\/\/)?(\/[^()]*?)(?:\?file=\d+)?:(\d+):\d+\)?$/;
const DECLARATION = /^(?:export )?(?:default )?(?:async )?(?:function\*?|const|let|class) (\w+)/;
/** Files that send what their callers ask for. */
const SENDERS =
  /^internal\/(kube\/(client|fakes|transport)|http|base\/(concurrency|time|telemetry)|clients|process\/telemetry)\/|\/(limited-client|managed-clusters|overlay-client)\.ts$|\/fake-[\w-]+\.fixture\.ts$|^test\/guards\/[\w-]+\.ts$/;
const OF_TESTS = /^(test|hack)\/|\.(test|fixture)\.ts$|\/(fakes|scenarios)\//;
const FRAMES = 40;

/**
 * The nearest caller that is no client, from the stack at the time of the call. Undefined if the stack has none: it
 * contains what awaits the call, but no callbacks of timers and events before it.
 */
export function originOfCall(): Origin | undefined {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  const { stack = '' } = new Error();
  Error.stackTraceLimit = limit;
  return originIn(stack);
}

/**
 * @param stack of V8, with its first line
 * @param through files that only pass on what they are given, besides clients
 */
export function originIn(stack: string, through = /^$/): Origin | undefined {
  for (const frame of stack.split('\n').slice(1)) {
    const [, path = '', line = ''] = FRAME.exec(frame) ?? [];
    if (!path.startsWith(ROOT)) continue;
    const file = path.slice(ROOT.length);
    if (file.startsWith('node_modules/') || SENDERS.test(file) || through.test(file)) continue;
    const isProgram = !OF_TESTS.test(file);
    return { where: isProgram ? `${file}#${declarationAt(path, Number(line))}` : file, isProgram };
  }
  return undefined;
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
