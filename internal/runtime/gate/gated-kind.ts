import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { Controller } from '../controller/controller.ts';

/** What runs while the API server serves the kinds that it needs. */
export interface GatedKind {
  /** Its controller's. */
  readonly name: string;
  /** It begins once all of these are there. */
  readonly needs: readonly ResourceType[];
  /** It ends when one of these is gone. Default `needs`. */
  readonly keeps?: readonly ResourceType[];
  /** Makes what runs from then on; called anew for each beginning, before anything of this or other kinds runs. */
  build(): KindRun;
}

/** A kind from one beginning to its end. */
export interface KindRun {
  readonly controller: Controller;
  /** Begins what the controller needs, its caches above all. The returned function ends it, after the controller. */
  start(): () => void;
  /** Called at last if the kind is gone: tells whoever is left that its objects are, too, and frees what they took. */
  forget(): void;
}
