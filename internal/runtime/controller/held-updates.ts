import { type KubeObject, keyOf, keyString } from '../../kube/object.ts';

/**
 * Keeps the updates of an object that arrive during its own reconcile until that ends. A watch may tell of a write
 * before the write's own answer is here; only at the end is it known which updates were ours. Nothing is lost by it:
 * no other reconcile of that object could begin meanwhile.
 */
export interface HeldUpdates<T extends KubeObject> {
  /** A reconcile of `key` begins; dispose of what is returned at its end. Never twice at a time for one key. */
  begin(key: string): Disposable;
  /** Keeps the update if its object is being reconciled; else says no. */
  keep(old: T, object: T): boolean;
}

/** @param release told of each kept update at the end, in order */
export function createHeldUpdates<T extends KubeObject>(
  release: (key: string, old: T, object: T) => void,
): HeldUpdates<T> {
  const kept = new Map<string, (readonly [old: T, object: T])[]>();
  return {
    begin: (key) => {
      const updates: (readonly [T, T])[] = [];
      kept.set(key, updates);
      return {
        [Symbol.dispose]: () => {
          kept.delete(key);
          for (const [old, object] of updates) release(key, old, object);
        },
      };
    },
    keep: (old, object) => {
      const updates = kept.get(keyString(keyOf(object)));
      updates?.push([old, object]);
      return updates !== undefined;
    },
  };
}
