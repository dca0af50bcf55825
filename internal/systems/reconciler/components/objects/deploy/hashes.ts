import { createHash } from 'node:crypto';
import { type Breather, createBreather } from '../../../../../framework/base/concurrency/breather.ts';
import { isObject, systemClock } from '../../../../../framework/base/index.ts';
import { inParts, type PartWork } from '../../../../../framework/base/json/in-parts.ts';
import type { KubeObject } from '../../../../../framework/kube/index.ts';

import type { AppliedState } from '../inventory.ts';
import { ownEntry } from '../managed-fields.ts';

/** Changes when objects with the same hash would be applied in another way. */
const VERSION = '1';

/** A hash of the object that does not depend on the order of its fields. Large objects are hashed in parts. */
export async function hashOf(value: unknown, breathe = createBreather(systemClock)): Promise<string> {
  const text = await inParts(value, sortedText, breathe);
  return createHash('sha256').update(VERSION).update(text).digest('base64url').slice(0, 22);
}

/** `JSON.stringify(sorted(value))` in parts. */
const sortedText: PartWork<string> = {
  part: (value) => JSON.stringify(sorted(value)) ?? 'null',
  list: (items) => `[${items.join(',')}]`,
  object: (members) => {
    const inOrder = members.toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `[${inOrder.map(([name, text]) => `[${JSON.stringify(name)},${text}]`).join(',')}]`;
  },
};

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).sort();
  // Not an object: names that are numbers would be reordered.
  return names.map((name) => [name, sorted(value[name])]);
}

/** Hash of the fields that component reconcilers own; undefined if they own none. */
export async function ownedHash(
  object: Pick<KubeObject, 'metadata'>,
  breathe?: Breather,
): Promise<string | undefined> {
  const own = ownEntry(object);
  return own === undefined ? undefined : await hashOf(own.fields, breathe);
}

/** What the inventory records of an object after its apply. */
export async function appliedState(sent: string, live: KubeObject): Promise<AppliedState | undefined> {
  const owned = await ownedHash(live);
  return owned === undefined ? undefined : { sent, owned };
}
