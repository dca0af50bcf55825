import { valueAt } from '../../../base/json/json-field.ts';
import { refused } from '../sources/model/source-error.ts';

/** Of a request to an API server, in bytes. */
const MAX_BYTES = 3 * 1024 * 1024;
/** What is read of an object of a managed cluster has no more. */
const MAX_VALUES = 200_000;

/**
 * A value as JSON. The event loop reads it and works on it, so that one which no API server takes is refused.
 *
 * @throws SourceError
 */
export function boundedJson(value: unknown, source: string): string {
  let values = 0;
  const json = JSON.stringify(value, (_, member: unknown) => {
    values++;
    return member;
  });
  if (values <= MAX_VALUES && Buffer.byteLength(json) <= MAX_BYTES) return json;
  const [kind, name] = [valueAt(value, ['kind']), valueAt(value, ['metadata', 'name'])];
  const what = typeof kind === 'string' && typeof name === 'string' ? `${kind} ${name}` : 'the content';
  throw refused(`${source}: ${what} has more than ${MAX_BYTES} bytes of JSON, or ${MAX_VALUES} values`);
}
