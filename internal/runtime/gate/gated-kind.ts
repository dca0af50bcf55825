import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Controller } from '../controller/controller.ts';

/** A kind that runs while the API server serves the types that it needs. */
export interface GatedKind {
  /** Name of its controller. */
  readonly name: string;
  /** It starts once all of these are served. */
  readonly needs: readonly ResourceType[];
  /** It stops when one of these is not served. Default `needs`. */
  readonly keeps?: readonly ResourceType[];
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
