import { DifferenceError } from '../objects/reader.ts';
import { type OperationPath, operationURL, parseOperationURL } from '../operation-url.ts';
import type { Answer } from './api-calls.ts';

/** Length of a Location in a message, in characters. */
const MAX_QUOTE = 200;

const failures = {
  service_instances: 'failed to extract the service instance ID from the async operation URL',
  service_bindings: 'failed to extract smBinding ID from operation URL',
} as const;

/** The operation that a 202 names in its header Location. */
export function acceptedOperation(
  { location = '' }: Answer,
  collection: OperationPath['collection'],
  scrub: (text: string) => string,
): { readonly state: 'in-progress'; readonly id: string; readonly operationURL: string } {
  const path = parseOperationURL(location);
  if (path === undefined || path.collection !== collection)
    throw new DifferenceError(
      `${failures[collection]}: ${JSON.stringify(scrub(location).slice(0, MAX_QUOTE))}`,
    );
  return { state: 'in-progress', id: path.id, operationURL: operationURL(path) };
}
