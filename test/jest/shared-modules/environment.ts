import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** Descriptions of the symbols with which jest-circus and `jest.setTimeout` keep the state of one file in the realm. */
const OF_ONE_FILE: ReadonlySet<string | undefined> = new Set([
  'EVENT_HANDLERS',
  'JEST_STATE_SYMBOL',
  'RETRY_TIMES_SETTER',
  'TEST_TIMEOUT_SYMBOL',
]);

/**
 * Jest's environment of tests that share their modules (`runtime.ts`): the process itself. What a test file, or Jest for
 * it, changes in globals, environment variables, trusted certificates and the exit code is undone after the file.
 */
export default class ProcessEnvironment {
  readonly global = globalThis;

  readonly #globals = new Map(
    Object.getOwnPropertyNames(globalThis).map((name) => [
      name,
      Object.getOwnPropertyDescriptor(globalThis, name),
    ]),
  );
  readonly #symbols = new Set(Object.getOwnPropertySymbols(globalThis));
  readonly #variables = { ...process.env };
  readonly #trusted = getCACertificates('default');
  readonly #exit = process.exit;
  readonly #exitCode = process.exitCode;

  /** None: Jest runs code in it with its own runtime only. */
  getVmContext(): null {
    return null;
  }

  async setup(): Promise<void> {
    // Jest's function reads each file of a stack, in search of a source map. Positions are those of the sources already.
    Reflect.deleteProperty(Error, 'prepareStackTrace');
  }

  async teardown(): Promise<void> {
    for (const name of Object.getOwnPropertyNames(globalThis)) {
      const before = this.#globals.get(name);
      if (before === undefined) Reflect.deleteProperty(globalThis, name);
      else if (before.configurable) Object.defineProperty(globalThis, name, before);
    }
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (OF_ONE_FILE.has(symbol.description) && !this.#symbols.has(symbol))
        Reflect.deleteProperty(globalThis, symbol);
    }
    for (const name of Object.keys(process.env)) {
      if (!(name in this.#variables)) delete process.env[name];
    }
    Object.assign(process.env, this.#variables);
    // Node then reads all of them again.
    if (getCACertificates('default') !== this.#trusted) setDefaultCACertificates(this.#trusted);
    process.exit = this.#exit;
    process.exitCode = this.#exitCode;
  }
}
