import type { Fence } from '../../base/concurrency/fence.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Controller } from '../controller.ts';

/** A kind that runs while the API server serves the types that it needs. */
export interface GatedKind {
  /** Name of its controller. */
  readonly name: string;
  /** It starts once all of these are served. */
  readonly needs: readonly ResourceType[];
  /** It stops when one of these is not served. Default `needs`. */
  readonly keeps?: readonly ResourceType[];
  /** It runs only while all of these hold; default: none. */
  readonly conditions?: readonly RunCondition[];
  /** Builds a run; called for each start, before any part of this or other kinds runs. */
  build(): KindRun;
}

/** A kind from one start to its stop. */
export interface KindRun {
  readonly controller: Controller;
  /** Starts what the controller needs, e.g. caches. The returned function stops it, after the controller. */
  start(): () => void;
  /** Called last if the kind is gone: removes its objects from the caches and notifies their subscribers. */
  forget(): void;
}

/**
 * A condition for a kind to run besides its CRDs, e.g. that no other program reconciles it. When it ends, reconciles in
 * progress are aborted.
 */
export interface RunCondition {
  /** For logs and /readyz: what the kind waits for while the condition does not hold. */
  readonly name: string;
  /**
   * Calls `onChange` with each new state, and returns the function that ends it. The condition does not hold before the
   * first call.
   */
  watch(onChange: (holds: boolean) => void): () => void;
  /** Called before each external write of the kind; throws if the condition may not hold any more. Default: none. */
  readonly fence?: Fence;
}
