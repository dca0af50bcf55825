import { valueAt } from '../../../base/json/json-field.ts';
import type { Secret } from '../../../kube/object/object.ts';

/**
 * What a Secret holds, as text. Values that are no valid base64 cannot come from an API server; what is no text at all
 * comes from one that only looks like it, and is left out.
 */
export function decodedData(secret: Secret): Record<string, string> {
  const data = valueAt(secret, ['data']);
  if (typeof data !== 'object' || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).flatMap(([key, value]: [string, unknown]) =>
      typeof value === 'string' ? [[key, Buffer.from(value, 'base64').toString('utf8')]] : [],
    ),
  );
}
