import type { Existence } from '../../../framework/ownership/ownership.ts';
import type {
  Deletion,
  Operation,
  OperationPath,
  OperationType,
  WriteOptions,
} from '../service-manager/index.ts';
import type { Transition } from '../status/conditions.ts';
import type { ServiceStatus } from '../status/service-resource.ts';

/**
 * What a call says about a resource. `foreign`: the ID is that of a resource of another namespace.
 *
 * @throws errors of the call, also for an answer that says nothing about the resource (class `unclear`)
 */
export type Look = () => Promise<Exclude<Existence['state'], 'unclear'> | 'foreign'>;

/** A resource, and what is recorded of the credentials that made it. */
export interface MadeResource {
  /** Empty: an earlier create may have made it. */
  readonly id: string;
  readonly record: Pick<ServiceStatus, 'viewer' | 'subaccountID'>;
  readonly look: Look;
}

/** The instance or binding in Service Manager that belongs to the object of one reconcile. */
export interface ExternalResource {
  readonly collection: OperationPath['collection'];
  /** The ID in the status; empty: none is known. */
  id(): string;
  setID(id: string | undefined): void;
  /** Finds it by external name and identity in Kubernetes. Several are possible, of which none is known. */
  find(): Promise<readonly { readonly id: string }[]>;
  /** What GET and a list say about the resource of an ID, and whether it belongs to another namespace. */
  looks(id: string): readonly [Look, Look];
  /** What exists, or may exist, and decides on the credentials: itself, or the instance of a new binding. */
  made(): MadeResource | undefined;
  /** Its state in Service Manager. `ready`: it can be used. */
  state(): Promise<'missing' | 'not-ready' | 'ready'>;
  /** Records what it has after an operation other than a deletion succeeded. */
  onSucceeded(type: OperationType | undefined): Promise<Transition>;
  /** See `deleteOwn`. */
  remove(id: string, options: WriteOptions): Promise<Deletion>;
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
