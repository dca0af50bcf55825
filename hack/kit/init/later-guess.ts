/** A create, update or deletion that ends later: its response is what a GET of an operation returns. */
import { parametersIn } from '../../../internal/framework/rest/rest-calls.ts';
import { flatSchema } from '../document/object-properties.ts';
import type { OpenapiDocument, Operation } from '../document/openapi-document.ts';
import type { LaterSettings } from '../format/provider-file.ts';
import { idFieldIn } from '../model/id-parts.ts';
import { responseOf } from '../model/kind-operations.ts';
import { isText } from './field-guesses.ts';

const STATES = ['status', 'state'];
const RESULTS = ['result', 'response', 'resource', 'reference', 'output', 'target'];
const SUCCEEDED = /(?:^|[^a-z])(?:succeeded|success|successful|completed|complete|done|finished|ready|ok)$/i;
const FAILED =
  /(?:^|[^a-z])(?:failed|failure|fail|error|errored|cancelled|canceled|aborted|timeout|rejected)$/i;

/**
 * Undefined unless the document shows all of it: an operation with known states, and what reads it.
 *
 * @param around paths of the external resource, which are no operations
 */
export function laterOf(
  begun: Operation,
  document: OpenapiDocument,
  around: readonly string[],
): LaterSettings | undefined {
  const { properties, names } = flatSchema(responseOf(begun)?.schema, document);
  const read = document.operations.find(
    (each) =>
      each.method === 'GET' &&
      parametersIn(each.path).length === 1 &&
      /\}\/?$/.test(each.path) &&
      !around.some((path) => `${each.path}/`.startsWith(`${path.replace(/\/$/, '')}/`)) &&
      names.length > 0 &&
      namesOf(each, document) === names.join(),
  );
  const state = STATES.find((name) => isText(properties.get(name), document));
  if (read === undefined || state === undefined) return undefined;
  const { enum: known } = flatSchema(properties.get(state), document).own;
  const values = Array.isArray(known) ? known.filter((value) => typeof value === 'string') : [];
  const failed = values.filter((value) => FAILED.test(value));
  const succeeded = values.filter((value) => SUCCEEDED.test(value));
  const parameter = parametersIn(read.path)[0] ?? '';
  const from = idFieldIn(properties, { kind: '', parameter });
  if (from === undefined || failed.length === 0 || succeeded.length === 0) return undefined;
  const hasResource = (schema: unknown) =>
    [...flatSchema(schema, document).properties.keys()].some((name) => /(?:^|_)id$|Id$/.test(name));
  const result = RESULTS.find((name) => hasResource(properties.get(name)));
  const message = ['message', 'error', 'reason', 'description'].find((name) =>
    isText(properties.get(name), document),
  );
  return {
    ...{ from, read: read.route, state, succeeded, failed },
    ...(result === undefined ? {} : { result }),
    ...(message === undefined ? {} : { message }),
  };
}

/** Of the schema of its response; none if that is broken, which is the matter of that operation alone. */
function namesOf(operation: Operation, document: OpenapiDocument): string | undefined {
  try {
    return flatSchema(responseOf(operation)?.schema, document).names.join();
  } catch {
    return undefined;
  }
}
