import type { KubeObject } from '../object/object.ts';
import type { Informer } from './informer.ts';
import type { Informers } from './informers.ts';

/**
 * Informers of some namespaces as one: for programs that may not read the whole cluster. They have no object in common, so
 * no key is in two of them.
 */
function mergeInformers<T extends KubeObject>(
  first: Informer<T>,
  parts: readonly Informer<T>[],
): Informer<T> {
  return {
    cluster: first.cluster,
    get: (key) => {
      for (const part of parts) {
        const found = part.get(key);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    list: () => parts.flatMap((part) => part.list()),
    hasSynced: () => parts.every((part) => part.hasSynced()),
    whenSynced: async (signal) => {
      await Promise.all(parts.map((part) => part.whenSynced(signal)));
    },
    whenTried: async (signal) => {
      await Promise.all(parts.map((part) => part.whenTried(signal)));
    },
    problem: () => {
      const problems = parts.flatMap((part) => part.problem() ?? []);
      return problems.sort((a, b) => b.forMs - a.forMs)[0];
    },
    subscribe: (handler) => {
      const ends = parts.map((part) => part.subscribe(handler));
      return () => {
        for (const end of ends) end();
      };
    },
    isStarted: () => parts.some((part) => part.isStarted()),
    start: () => {
      const stops = parts.map((part) => part.start());
      return () => {
        for (const stop of stops) stop();
      };
    },
    forget: () => {
      for (const part of parts) part.forget();
    },
  };
}

/**
 * The informers of these namespaces. A selection with a namespace is used as it is; every other one is limited to these
 * namespaces.
 */
export function inNamespaces(informers: Informers, namespaces: readonly string[]): Informers {
  const unique = [...new Set(namespaces)];
  /** By their first part. */
  const known = new WeakMap<object, unknown>();
  const merged = <T extends KubeObject>(of: (namespace: string) => Informer<T>): Informer<T> => {
    const parts = unique.map(of);
    const [first] = parts;
    if (first === undefined) throw new RangeError('there is no namespace');
    const found = known.get(first) ?? mergeInformers(first, parts);
    known.set(first, found);
    return found as Informer<T>;
  };
  return {
    of: (type, options = {}) => {
      const { selection = {} } = options;
      if (selection.namespace !== undefined) return informers.of(type, options);
      return merged((namespace) =>
        informers.of(type, { ...options, selection: { ...selection, namespace } }),
      );
    },
    metadataOf: (type, options = {}) => {
      const { selection = {} } = options;
      if (selection.namespace !== undefined) return informers.metadataOf(type, options);
      return merged((namespace) =>
        informers.metadataOf(type, { ...options, selection: { ...selection, namespace } }),
      );
    },
  };
}
