/**
 * What a controller and its reconciler keep for a request from one reconcile to the next: failures, own writes, watch triggers,
 * and so on. Each part has a slot of its own. A controller has one store, and drops all that is kept for a request in one
 * place: when its reconcile finds that the object is gone. What waits or is in progress belongs to the queue.
 */
export interface KeyStore {
  /**
   * A new slot, with at most one value for each request.
   *
   * @param name for people; unique in the store
   * @param onDropped releases what a value holds, when it is dropped with its request. Not called by `delete`
   */
  slot<V>(name: string, onDropped?: (value: V) => void): Slot<V>;
  /** Drops the values of all slots for the request. */
  drop(key: string): void;
  /** Drops all values. */
  clear(): void;
  /** Requests for which something is kept, with the names of the slots. */
  kept(): ReadonlyMap<string, readonly string[]>;
}

/** The values of one kind, by request. */
export interface Slot<V> {
  get(key: string): V | undefined;
  set(key: string, value: V): void;
  /** Says whether there was a value. */
  delete(key: string): boolean;
}

export function createKeyStore(): KeyStore {
  const slots = new Map<string, { keys(): Iterable<string>; drop(key: string): void }>();
  return {
    slot: <V>(name: string, onDropped?: (value: V) => void): Slot<V> => {
      if (slots.has(name)) throw new RangeError(`there is a slot ${name} already`);
      const values = new Map<string, V>();
      const drop = (key: string) => {
        const value = values.get(key);
        if (!values.delete(key) || value === undefined) return;
        onDropped?.(value);
      };
      slots.set(name, { keys: () => values.keys(), drop });
      return {
        get: (key) => values.get(key),
        set: (key, value) => void values.set(key, value),
        delete: (key) => values.delete(key),
      };
    },
    drop: (key) => {
      for (const slot of slots.values()) slot.drop(key);
    },
    clear: () => {
      for (const slot of slots.values()) for (const key of [...slot.keys()]) slot.drop(key);
    },
    kept: () => {
      const kept = new Map<string, string[]>();
      for (const [name, slot] of slots) {
        for (const key of slot.keys()) kept.set(key, [...(kept.get(key) ?? []), name]);
      }
      return kept;
    },
  };
}
