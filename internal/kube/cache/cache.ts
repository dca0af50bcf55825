import type { KubeObject } from '../object/object.ts';

/** What an informer tells its handlers. Handlers only note a key; they must neither throw nor wait. */
export type CacheEvent<T> =
  | {
      readonly type: 'added';
      readonly object: T /** Part of the first list rather than news. */;
      readonly initial: boolean;
    }
  | { readonly type: 'updated'; readonly object: T; readonly old: T }
  | { readonly type: 'deleted'; readonly object: T };

/** Why what a cache holds may be out of date. */
export interface CacheProblem {
  /** One line. */
  readonly text: string;
  /** For how long that has been so, in ms. */
  readonly forMs: number;
  /** The server does not serve the kind: there is nothing to be out of date. */
  readonly kindMissing?: boolean;
}

/** Read side of an informer. Objects are shared: treat them as frozen and clone before changing. */
export interface ObjectCache<T extends KubeObject> {
  /** @param key `namespace/name`, or `name` (keyString) */
  get(key: string): T | undefined;
  list(): readonly T[];
  hasSynced(): boolean;
  /** Resolves after the first complete list; rejects with the signal's reason. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Undefined while all is well, or where nothing can go wrong. */
  problem?(): CacheProblem | undefined;
  /** Objects already known are replayed as initial `added` events. Returns the function that ends it. */
  subscribe(handler: (event: CacheEvent<T>) => void): () => void;
}
