import { gunzipSync, gzipSync } from 'node:zlib';
import { isObject, messageOf, parseBoundedJson } from '../../../../framework/base/index.ts';
import type { Secret } from '../../../../framework/kube/index.ts';
import type { RandomStore, RandomValues } from '../../../../templates/helm/index.ts';
import {
  INVENTORY_KEYS,
  type InventoryOptions,
  readInventoryObject,
  writeInventoryObject,
} from './inventory.ts';

/** Of the text in the Secret, which has the inventory as well. A Secret has 1 MiB at most. */
const MAX_BYTES = 512 * 1024;
const LIMITS = { maxLength: 4 * 1024 * 1024, maxDepth: 4, maxValues: 20_000 };

/**
 * Keeps what random functions of a chart made with the inventory of its component. It is written before the objects are applied: an
 * attempt that ends in between makes the same values again.
 */
export function randomValuesOf(options: InventoryOptions): RandomStore {
  const { signal, log, cluster, component } = options;
  let stored: Secret | undefined;
  const note = (message: string, error: string) =>
    log.info(message, { cluster: cluster.name, component, error });
  return {
    read: async () => {
      stored = await readInventoryObject(options, signal);
      const text = stored?.data?.[INVENTORY_KEYS.random];
      if (text === undefined) return undefined;
      try {
        return parse(text);
      } catch (error) {
        note('cannot read what a chart made at random: it makes new values', messageOf(error));
        return undefined;
      }
    },
    write: async (values) => {
      const text = gzipSync(JSON.stringify(values)).toString('base64');
      if (text === stored?.data?.[INVENTORY_KEYS.random]) return;
      if (text.length > MAX_BYTES) {
        note(
          'what a chart makes at random is too large to be kept: it is new in each run',
          `${text.length} bytes`,
        );
        return;
      }
      stored = await writeInventoryObject(options, stored, { random: text }, signal);
    },
  };
}

/** @throws an error without content of the text if it has another form */
function parse(base64: string): RandomValues {
  const bytes = gunzipSync(Buffer.from(base64, 'base64'), { maxOutputLength: LIMITS.maxLength });
  const found = parseBoundedJson(bytes.toString('utf8'), LIMITS);
  if (isObject(found) && typeof found.salt === 'string' && isObject(found.values))
    // The engine takes no value of another form.
    return { salt: found.salt, values: found.values as RandomValues['values'] };
  throw new Error('it has another form');
}
