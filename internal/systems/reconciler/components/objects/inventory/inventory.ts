import type { KubeObject, ObjectKey } from '../../../../../framework/kube/index.ts';

import { groupOf, identityOf } from '../prepared-object.ts';

/** An object that a component has applied, or is about to apply. */
export interface InventoryEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly key: ObjectKey;
  /** What it was when it was applied last; absent: perhaps it was not. */
  readonly applied?: AppliedState;
}

export interface AppliedState {
  /** Hash of the object as it was sent. */
  readonly sent: string;
  /** Hash of the fields that component reconcilers own since then. A change of one of them by others takes it away. Or `COMPLETE`. */
  readonly owned: string;
}

/** In place of `owned`, of a Job with a time to live that was seen complete: it may be gone, and does not run again. */
export const COMPLETE = 'complete';

/** The objects of a component in a cluster, by identity. */
export type Inventory = ReadonlyMap<string, InventoryEntry>;

export const identityOfEntry = ({
  apiVersion,
  kind,
  key,
}: Pick<InventoryEntry, 'apiVersion' | 'kind' | 'key'>) =>
  identityOf({ group: groupOf(apiVersion), kind }, key);

/** The entry as an object, for messages. */
export const objectOfEntry = ({ apiVersion, kind, key }: InventoryEntry): KubeObject => ({
  apiVersion,
  kind,
  metadata: { ...key },
});
