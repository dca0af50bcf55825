import { done } from '../../internal/framework/controller/index.ts';
import { keyOf, keyString } from '../../internal/framework/kube/index.ts';
import { gatedKind } from '../../internal/framework/managed/fakes/index.ts';

/** A change of what a source watches, and the object that is reconciled after it. */
export interface TriggerRow {
  readonly what: string;
  readonly change: () => unknown;
  /** `namespace/name`. */
  readonly reconciles: string;
}

/** The rows of a controller: of its own objects, then one for each of `sources`, in their order. A text says why a source adds no request. */
export type TriggerRows = readonly [TriggerRow, ...(TriggerRow | string)[]];

/** The controllers of a module in memory, whose reconciles do nothing. */
export interface TriggerWorld {
  readonly triggers: ObservedTriggers;
  /** By the name of the controller. */
  readonly rows: Readonly<Record<string, TriggerRows>>;
  wait(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export interface ObservedTriggers {
  /** In place of `gatedKind`: the kind with its sources, and a reconcile after which no poll follows. */
  readonly build: typeof gatedKind;
  /** The number of `sources`, by the name of the controller. */
  counts(): ReadonlyMap<string, number>;
  /** Whether the object was reconciled since the last `reset`, and by which of `sources` it was requested; -1: by none of them. */
  of(
    controller: string,
    key: string,
  ): { readonly isReconciled: boolean; readonly sources: readonly number[] };
  reset(): void;
}

export function observeTriggers(): ObservedTriggers {
  const counts = new Map<string, number>();
  const requested = new Map<string, Set<number>>();
  const reconciled = new Set<string>();
  const build: typeof gatedKind = (kind, options) => {
    const { name } = gatedKind(kind, options);
    const { finalizer: _f, beforeReconcile: _b, whileRunning: _w, limitKeysOf: _l, ...kept } = kind;
    const observed: typeof kind = {
      ...kept,
      sources: (informers, cache, at) => {
        const sources = kind.sources?.(informers, cache, at) ?? [];
        counts.set(name, sources.length);
        return sources.map((source, index) => ({
          ...source,
          start: (enqueue) =>
            source.start((key, more) => {
              const id = `${name} ${key}`;
              requested.set(id, (requested.get(id) ?? new Set()).add(index));
              enqueue(key, more);
            }),
        }));
      },
      reconcile: async ({ object }) => {
        reconciled.add(`${name} ${keyString(keyOf(object))}`);
        return done;
      },
    };
    return gatedKind(observed, options);
  };
  return {
    build,
    counts: () => counts,
    of: (controller, key) => ({
      isReconciled: reconciled.has(`${controller} ${key}`),
      sources: [...(requested.get(`${controller} ${key}`) ?? [])],
    }),
    reset: () => {
      requested.clear();
      reconciled.clear();
    },
  };
}
