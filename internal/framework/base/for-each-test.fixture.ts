import { afterEach, beforeEach } from '@jest/globals';

/**
 * What each test of a file, or of a `describe`, needs one of its own of: started before it, and stopped after it. Tests use it as if it
 * were always the same; before the start its members are an error.
 */
export function forEachTest<T extends { stop(): Promise<unknown> }>(start: () => Promise<T>): T {
  let started: T | undefined;
  beforeEach(async () => {
    started = await start();
  });
  afterEach(() => started?.stop());
  return membersOf(() => started);
}

/** An object with the members of another one, which may not be there yet. */
export function membersOf<T extends object>(started: () => T | undefined): T {
  const there = (name: string | symbol): T => {
    const found = started();
    if (found === undefined) throw new Error(`cannot use ${String(name)}: it is not started yet`);
    return found;
  };
  return new Proxy<T>(Object.create(null), {
    get: (_, name) => Reflect.get(there(name), name),
    set: (_, name, value) => Reflect.set(there(name), name, value),
  });
}
