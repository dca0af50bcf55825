/**
 * State that a controller and its reconciler keep for a request between reconciles: failures, own writes, watch triggers.
 * A controller has one store and drops the state of a request in one place: when a reconcile finds that the object is
 * gone. Requests that wait or are in progress belong to the queue.
 */
export interface KeyStore {
  /**
   * Adds a kind of state, with at most one value for each request.
   *
   * @param name for people; unique in the store
   * @param onDropped releases what a value holds, when it is dropped with its request. Not called by `delete`
   */
  values<V>(name: string, onDropped?: (value: V) => void): KeyedValues<V>;
  /** Drops all values of the request. */
  drop(key: string): void;
  /** Drops all values. */
  clear(): void;
  /** Requests that have values, with the names of these. */
  kept(): ReadonlyMap<string, readonly string[]>;
}

/** The values of one kind of state, by request. */
export interface KeyedValues<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Returns whether there was a value. */
  delete(key: string): boolean;
}

export function createKeyStore(): KeyStore {
  const kinds = new Map<string, { keys(): Iterable<string>; drop(key: string): void }>();
  return {
    values: <V>(name: string, onDropped?: (value: V) => void): KeyedValues<V> => {
      if (kinds.has(name)) throw new RangeError(`the store already has values named ${name}`);
      const values = new Map<string, V>();
      const drop = (key: string) => {
        const value = values.get(key);
        if (!values.delete(key) || value === undefined) return;
        onDropped?.(value);
      };
      kinds.set(name, { keys: () => values.keys(), drop });
      return {
        get: (key) => values.get(key),
        set: (key, value) => void values.set(key, value),
        delete: (key) => values.delete(key),
      };
    },
    drop: (key) => {
      for (const kind of kinds.values()) kind.drop(key);
    },
    clear: () => {
      for (const kind of kinds.values()) for (const key of [...kind.keys()]) kind.drop(key);
    },
    kept: () => {
      const kept = new Map<string, string[]>();
      for (const [name, kind] of kinds) {
        for (const key of kind.keys()) kept.set(key, [...(kept.get(key) ?? []), name]);
      }
      return kept;
    },
  };
}
