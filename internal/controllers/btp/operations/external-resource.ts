import type {
  Deletion,
  Operation,
  OperationPath,
  OperationType,
  WriteOptions,
} from '../../../clients/service-manager/index.ts';
import type { Transition } from '../status/conditions.ts';
import type { LabelledResource } from './own-resources.ts';
import type { UnconnectedRun } from './run.ts';

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

/** Deletes the resource of an ID, unless Service Manager has it for another namespace: then it is no resource of the object. */
export async function deleteOwn(
  { object: { metadata }, ownResources }: Pick<UnconnectedRun, 'object' | 'ownResources'>,
  id: string,
  read: () => Promise<LabelledResource | undefined>,
  remove: () => Promise<Deletion>,
): Promise<Deletion> {
  if (ownResources.isKnown(metadata.namespace, id)) return remove();
  const found = await read();
  return found === undefined || ownResources.own(metadata.namespace, found) !== undefined
    ? remove()
    : { state: 'gone' };
}

export const stateOf = (
  found: { readonly ready: boolean } | undefined,
): 'missing' | 'not-ready' | 'ready' => {
  if (found === undefined) return 'missing';
  return found.ready ? 'ready' : 'not-ready';
};
