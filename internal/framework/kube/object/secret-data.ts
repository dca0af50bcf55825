import { valueAt } from '../../base/json/json-field.ts';
import type { Secret } from './object.ts';

/** The data of a Secret, decoded. Values that are not strings are left out: the server may not be an API server. */
export function decodedData(secret: Secret): Record<string, string> {
  const data = valueAt(secret, ['data']);
  if (typeof data !== 'object' || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string' ? [[key, Buffer.from(value, 'base64').toString('utf8')]] : [],
    ),
  );
}

/** Values as the data of a Secret: base64, texts as UTF-8. */
export const encodedData = (values: Readonly<Record<string, string | Uint8Array>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
