import type { Deletion } from '../objects/operation.ts';
import type { OperationPath } from '../operation-url.ts';

import { acceptedOperation } from './accepted.ts';
import { type Answer, bodyOf } from './api-calls.ts';

/**
 * The result of a deletion that was answered with success. A 200 with a page of a proxy is an error: it does not show that
 * Service Manager has deleted anything.
 */
export function deletionOf(
  answer: Answer,
  collection: OperationPath['collection'],
  scrub: (text: string) => string,
): Deletion {
  if (answer.status === 202) return acceptedOperation(answer, collection, scrub);
  if (answer.text !== '') bodyOf(answer);
  return { state: 'gone' };
}
