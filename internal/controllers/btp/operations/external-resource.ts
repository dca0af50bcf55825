import type {
  Deletion,
  Operation,
  OperationPath,
  OperationType,
  WriteOptions,
} from '../../../clients/service-manager/index.ts';
import type { Transition } from '../status/conditions.ts';
import type { Look } from './absence.ts';
import type { MadeResource } from './maker.ts';
import type { LabelledResource } from './own-resources.ts';
import { type Run, setStatus } from './run.ts';

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

/** The looks at a resource of an object, by GET and by a list. */
export function looksAt(
  { object, client: { viewer }, ownResources }: Pick<Run, 'object' | 'client' | 'ownResources'>,
  read: () => Promise<LabelledResource | undefined>,
  isListed: () => Promise<boolean>,
): readonly [Look, Look] {
  return [
    async () => {
      const found = await read();
      if (found === undefined) return 'absent';
      return ownResources.own(object.metadata.namespace, found, viewer) === undefined ? 'foreign' : 'present';
    },
    async () => ((await isListed()) ? 'present' : 'absent'),
  ];
}

/** A resource that an earlier create may have made, found by its identity. */
export const unrecordedResource = (find: ExternalResource['find']): MadeResource => ({
  id: '',
  record: {},
  look: async () => ((await find()).length > 0 ? 'present' : 'absent'),
});

/** Another client of the same subaccount sees the resource, e.g. after a rotation. A resource without a record gets none by that. */
export function recordViewer({ object, client: { viewer } }: Pick<Run, 'object' | 'client'>): void {
  if (object.status?.viewer) setStatus(object, { viewer });
}

export const stateOf = (
  found: { readonly ready: boolean } | undefined,
): 'missing' | 'not-ready' | 'ready' => {
  if (found === undefined) return 'missing';
  return found.ready ? 'ready' : 'not-ready';
};
