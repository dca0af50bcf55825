import { valueAt } from '../../../../../framework/base/index.ts';

import { refused } from '../sources/model/source-error.ts';

interface JsonBounds {
  readonly bytes: number;
  readonly values: number;
}

/** Bytes of a request to an API server; what is read of an object of a managed cluster has no more values. */
const OBJECT_BOUNDS: JsonBounds = { bytes: 3 * 1024 * 1024, values: 200_000 };
/** Of files with values: they are merged, and sent to another process again. */
export const VALUES_BOUNDS: JsonBounds = { bytes: 1024 * 1024, values: 50_000 };

/**
 * A value as JSON. The event loop reads it and works on it, so that one which no API server takes is refused.
 *
 * @throws SourceError
 */
export function boundedJson(value: unknown, source: string, bounds = OBJECT_BOUNDS): string {
  let values = 0;
  const json = JSON.stringify(value, (_, member: unknown) => {
    values++;
    return member;
  });
  if (values <= bounds.values && Buffer.byteLength(json) <= bounds.bytes) return json;
  const [kind, name] = [valueAt(value, ['kind']), valueAt(value, ['metadata', 'name'])];
  const what = typeof kind === 'string' && typeof name === 'string' ? `${kind} ${name}` : 'the content';
  throw refused(`${source}: ${what} has more than ${bounds.bytes} bytes of JSON, or ${bounds.values} values`);
}
