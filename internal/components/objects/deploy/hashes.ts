import { createHash } from 'node:crypto';
import { isObject } from '../../../base/json/json-field.ts';
import type { KubeObject } from '../../../kube/object/object.ts';
import type { AppliedState } from '../inventory/inventory.ts';
import { ownEntry } from '../managed-fields.ts';

/** Changes when objects with the same hash would be applied in another way. */
const VERSION = '1';

/** A hash of the object that does not depend on the order of its fields. */
export const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(VERSION)
    .update(JSON.stringify(sorted(value)))
    .digest('base64url')
    .slice(0, 22);

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  // Not an object: names that are numbers would be reordered.
  return names.map((name) => [name, sorted(value[name])]);
}

/** Hash of the fields that component reconcilers own; undefined if they own none. */
export function ownedHash(object: Pick<KubeObject, 'metadata'>): string | undefined {
  const own = ownEntry(object);
  return own === undefined ? undefined : hashOf(own.fields);
}

/** What the inventory records of an object after its apply. */
export function appliedState(sent: string, live: KubeObject): AppliedState | undefined {
  const owned = ownedHash(live);
  return owned === undefined ? undefined : { sent, owned };
}
