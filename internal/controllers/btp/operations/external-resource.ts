import type {
  Deletion,
  Operation,
  OperationPath,
  OperationType,
  WriteOptions,
} from '../../../clients/service-manager/index.ts';
import type { Transition } from '../status/conditions.ts';

/** The instance or binding in Service Manager that belongs to the object of one reconcile. */
export interface ExternalResource {
  readonly collection: OperationPath['collection'];
  /** The ID in the status; empty: none is known. */
  id(): string;
  setID(id: string | undefined): void;
  /** Finds it by external name and identity in Kubernetes. Several are possible, of which none is known. */
  find(): Promise<readonly { readonly id: string }[]>;
  /** Its state in Service Manager. `ready`: it can be used. */
  state(): Promise<'missing' | 'not-ready' | 'ready'>;
  /** Records what it has after an operation other than a deletion succeeded. */
  onSucceeded(type: OperationType | undefined): Promise<Transition>;
  delete(id: string, options: WriteOptions): Promise<Deletion>;
  /** The text for users; undefined if Service Manager has none. */
  failureText(operation: Operation): string | undefined;
  /** Removes what belongs to the object in Kubernetes. Called when the resource is gone, before the finalizer is removed. */
  readonly cleanUp: () => Promise<void>;
}

export const stateOf = (
  found: { readonly ready: boolean } | undefined,
): 'missing' | 'not-ready' | 'ready' => {
  if (found === undefined) return 'missing';
  return found.ready ? 'ready' : 'not-ready';
};
