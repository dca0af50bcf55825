import { isObject, valueAt } from '../../base/json/json-value.ts';
import type { KubeObject, Secret } from './object.ts';

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

/**
 * A Secret with its `stringData` as `data`, as API servers store it; another object as it is. Server-side apply does not know that the
 * fields are one: keys that leave `stringData` would stay in the Secret, and who changes its data would take no field of it. Values that
 * are no texts are left to the API server, which names them in its refusal.
 */
export function withTextsAsData<T extends KubeObject>(object: T): T {
  if (object.apiVersion !== 'v1' || object.kind !== 'Secret') return object;
  const { stringData: texts, ...others } = object as T & { stringData?: unknown };
  const data = valueAt(object, ['data']) ?? {};
  if (!isObject(texts) || !isObject(data) || !areTexts(texts)) return object;
  return { ...(others as unknown as T), data: { ...data, ...encodedData(texts) } };
}

const areTexts = (values: Readonly<Record<string, unknown>>): values is Readonly<Record<string, string>> =>
  Object.values(values).every((value) => typeof value === 'string');
