import { dirname, join } from 'node:path/posix';
import { findImports, type Import } from './imports.ts';

/*
 * The rooms of the code and what each may import: `cli → controllers → {runtime, clients, apis} → kube → http →
 * base`, one direction only. What a room may import is written out rather than derived, so that each line can be read
 * for itself: clients know nothing of Kubernetes, the runtime nothing of SAP, apis nothing at all.
 */
const ALLOWED = {
  apis: [],
  base: [],
  http: ['base'],
  kube: ['http', 'base'],
  clients: ['http', 'base'],
  runtime: ['kube', 'http', 'base'],
  controllers: ['runtime', 'clients', 'apis', 'kube', 'http', 'base'],
  cli: ['controllers', 'runtime', 'clients', 'apis', 'kube', 'http', 'base'],
} as const satisfies Record<string, readonly string[]>;

type Room = keyof typeof ALLOWED;

/** What controllers import of the framework: what it exports to every author of a provider, and to their tests. */
const FRAMEWORK_ENTRIES = ['internal/runtime/index.ts', 'internal/runtime/fakes/index.ts'];

/** Loading it takes a thousand modules, and its requests a connection each: one adapter is enough. */
const KUBERNETES_CLIENT = '@kubernetes/client-node';

/** Where the program begins; what it reaches is bundled and shipped. */
const ENTRY = 'internal/cli/main.ts';

/** Source text by path from the repository's root, with slashes. */
export type SourceTree = ReadonlyMap<string, string>;

export interface ImportRules {
  readonly files: SourceTree;
  /** Names of the packages that users of the program install; what a bundle may hold. */
  readonly dependencies: ReadonlySet<string>;
}

/** What is wrong with the imports of `apis` and `internal`, one line each: `path:line: reason`. */
export function checkImportDirections({ files, dependencies }: ImportRules): string[] {
  const problems: string[] = [];
  const adapters = new Set<string>();
  const shipped = reachableFrom(ENTRY, files);
  for (const [path, source] of files) {
    const room = roomOf(path);
    if (room === 'outside' || !path.endsWith('.ts')) continue;
    if (room === 'unknown') {
      problems.push(`${path}:1: no room of this name is known to hack/checks/import-directions.ts`);
      continue;
    }
    for (const found of findImports(source)) {
      const reason = found.specifier.startsWith('.')
        ? judgeOwn(path, room, join(dirname(path), found.specifier))
        : judgePackage(path, room, found, shipped.has(path) ? dependencies : undefined);
      if (reason !== undefined) problems.push(`${path}:${found.line}: ${reason}`);
      if (packageOf(found.specifier) === KUBERNETES_CLIENT && !found.typeOnly && !isTest(path)) {
        adapters.add(path);
      }
    }
  }
  if (adapters.size > 1) {
    const names = [...adapters].sort().join(' and ');
    problems.push(`${names}: only one file may import ${KUBERNETES_CLIENT} at run time`);
  }
  return problems;
}

function judgeOwn(path: string, room: Room, target: string): string | undefined {
  const other = roomOf(target);
  if (other !== 'outside') {
    const fine = other === room || (ALLOWED[room] as readonly string[]).includes(other);
    if (!fine) return `${room} must not import ${other} (${target})`;
    const deep = room === 'controllers' && other === 'runtime' && !FRAMEWORK_ENTRIES.includes(target);
    return deep ? `${room} must import ${other} through ${FRAMEWORK_ENTRIES[0]} (${target})` : undefined;
  }
  const simulator = target.startsWith('test/simulators/');
  if (isTest(path) && simulator) return undefined;
  return simulator
    ? `only tests may import the simulators (${target})`
    : `${room} must not import what lies outside apis and internal (${target})`;
}

function judgePackage(
  path: string,
  room: Room,
  { specifier, typeOnly }: Import,
  /** Absent for files that are not shipped. */
  dependencies: ReadonlySet<string> | undefined,
): string | undefined {
  if (isTest(path)) return undefined;
  if (room === 'apis') return `apis must not import anything (${specifier})`;
  if (specifier.startsWith('node:') || typeOnly) return undefined;
  const name = packageOf(specifier);
  if (name === KUBERNETES_CLIENT && room !== 'kube') {
    return `only kube may import ${KUBERNETES_CLIENT} at run time`;
  }
  if (dependencies === undefined || dependencies.has(name)) return undefined;
  return `${name} is shipped with the program but is not among the dependencies of package.json`;
}

/** The files that are loaded, now or later, when `entry` is run. */
function reachableFrom(entry: string, files: SourceTree): ReadonlySet<string> {
  const reached = new Set<string>([entry]);
  // A set grows while it is walked.
  for (const path of reached) {
    for (const { specifier, typeOnly } of findImports(files.get(path) ?? '')) {
      if (!typeOnly && specifier.startsWith('.')) reached.add(join(dirname(path), specifier));
    }
  }
  return reached;
}

const isTest = (path: string): boolean => path.endsWith('.test.ts');

function roomOf(path: string): Room | 'unknown' | 'outside' {
  const [top, second = ''] = path.split('/');
  if (top === 'apis') return 'apis';
  if (top !== 'internal') return 'outside';
  return Object.hasOwn(ALLOWED, second) && second !== 'apis' ? (second as Room) : 'unknown';
}

/** `@scope/name/deep/file` belongs to `@scope/name`. */
function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}
