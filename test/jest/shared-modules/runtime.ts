import { createRequire, flushCompileCache, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { setGlobals } from './globals.ts';

const GLOBALS = new URL('globals.ts', import.meta.url).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === '@jest/globals' ? { url: GLOBALS, shortCircuit: true } : nextResolve(specifier, context),
});

const require = createRequire(import.meta.url);

let filesOfProcess = 0;
const imported = new Set<string>();

/**
 * Jest's `runtime` that loads modules as Node does, once for all test files of a worker. Jest's own gives each file a realm
 * and all its modules anew, which takes half of the time of the unit tests.
 *
 * It works because modules here have no state of their own. Test files are loaded for each run; what a file changes in the
 * process is undone by `environment.ts`. Files that Jest watches are not loaded again, so that there is no watch mode.
 */
export default class SharedModulesRuntime {
  readonly #file = ++filesOfProcess;

  /** Set-up files and the test file itself. */
  unstable_importModule(path: string): Promise<unknown> {
    const { href } = pathToFileURL(path);
    // The address is the key of Node's compile cache: a test file has the same one in each run.
    const isFirst = !imported.has(path);
    imported.add(path);
    return import(isFirst ? href : `${href}?file=${this.#file}`);
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  /** A part of jest-circus, whose state belongs to one test file. */
  requireInternalModule(path: string): unknown {
    delete require.cache[path];
    return require(path);
  }

  requireModule(path: string): never {
    throw new Error(`cannot load ${path}: it is no ES module`);
  }

  setGlobalsForRuntime(globals: Parameters<typeof setGlobals>[0]): void {
    setGlobals(globals);
  }

  /** None: where types were, there are blanks. */
  getSourceMaps(): undefined {}

  /** None: `make coverage` uses Jest's own runtime. */
  getAllCoverageInfoCopy(): undefined {}

  enterTestCode(): void {}

  leaveTestCode(): void {}

  teardown(): void {
    // Jest kills a worker that takes longer to end than half a second.
    flushCompileCache();
  }
}
