import { gunzipSync, gzipSync } from 'node:zlib';
import { parseBoundedJson } from '../../../../../framework/base/index.ts';

import { isNameOfSomeKind, isNamespaceName } from '../../../../../framework/kube/object/object.ts';
import { type Inventory, type InventoryEntry, identityOfEntry } from './inventory.ts';

/** Memory for some ten thousand entries. */
const MAX_BYTES = 8 * 1024 * 1024;
const LIMITS = { maxLength: MAX_BYTES, maxDepth: 4, maxValues: 200_000 };

/** apiVersion, kind, namespace, name, hash of what was sent, hash of owned fields. */
type Row = readonly [string, string, string, string, string, string];

/** Gzip of JSON, in base64: a Secret holds some thousand entries of it. */
export function formatInventory(inventory: Inventory): string {
  const rows = [...inventory.values()].map(
    ({ apiVersion, kind, key, applied }): Row => [
      apiVersion,
      kind,
      key.namespace ?? '',
      key.name,
      applied?.sent ?? '',
      applied?.owned ?? '',
    ],
  );
  return gzipSync(JSON.stringify(rows)).toString('base64');
}

/** @throws an error without content of the text if it is not an inventory */
export function parseInventory(base64: string): Inventory {
  const text = gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: MAX_BYTES }).toString('utf8');
  const rows = parseBoundedJson(text, LIMITS);
  if (!Array.isArray(rows) || !rows.every(isRow)) throw new Error('it is not a list of objects');
  return new Map(
    rows.filter(mayExist).map(([apiVersion, kind, namespace, name, sent, owned]) => {
      const entry: InventoryEntry = {
        apiVersion,
        kind,
        key: namespace === '' ? { name } : { name, namespace },
        ...(sent === '' || owned === '' ? {} : { applied: { sent, owned } }),
      };
      return [identityOfEntry(entry), entry];
    }),
  );
}

/** Earlier versions stored what a chart named, also if no object can have that name: its deletion would fail for good. */
const mayExist = ([, , namespace, name]: Row): boolean =>
  isNameOfSomeKind(name) && (namespace === '' || isNamespaceName(namespace));

const isRow = (row: unknown): row is Row =>
  Array.isArray(row) && row.length === 6 && row.every((cell) => typeof cell === 'string') && row[3] !== '';
