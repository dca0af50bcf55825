/**
 * Creates, updates and deletions that end later. The API answers 202 and names an operation, which is recorded in an annotation, so that it
 * is found after a crash, and polled until it has ended.
 */
import { ProviderError } from '../base/errors/errors.ts';
import { isObject, valueAt } from '../base/json/json-value.ts';
import { annotationOf, type ReconcileContext, setAnnotation } from '../managed/index.ts';
import { type JsonObject, pathOf, type RestOperation, type RestResource, type Route } from './definition.ts';
import { textOf } from './external-name.ts';
import { parametersIn, type RestCalls, type RestResponse, splitRoute } from './rest-calls.ts';

export type LaterVerb = 'create' | 'update' | 'delete';

/** The annotation with the path of the operation, or its ID. Empty: none. */
const nameOf = (verb: LaterVerb) => `rest.provider-kyma.io/${verb}-operation`;

export type OperationState =
  | { readonly state: 'running'; readonly pollAfterMs: number }
  | { readonly state: 'succeeded'; readonly external: JsonObject }
  | { readonly state: 'failed'; readonly message: string }
  /** The API does not know it any more: it may have succeeded. */
  | { readonly state: 'gone'; readonly message: string };

export const recordedOperation = (resource: RestResource, verb: LaterVerb) =>
  annotationOf(resource, nameOf(verb));

export const forgetOperation = (resource: RestResource, verb: LaterVerb) => {
  if (recordedOperation(resource, verb) !== undefined) setAnnotation(resource, nameOf(verb), '');
};

/** Whether the response names an operation. */
export const endsLater = ({ always }: RestOperation, { status }: Pick<RestResponse, 'status'>): boolean =>
  always === true || status === 202;

/** @throws ProviderError if the response names no operation */
export function recordOperation(
  resource: RestResource,
  verb: LaterVerb,
  { from }: RestOperation,
  { body, location }: RestResponse,
): void {
  const named = from === 'location' ? location : textOf(valueAt(body, pathOf(from.field)));
  if (named === undefined)
    throw new ProviderError(
      'transient',
      `the response names no operation: it has no ${from === 'location' ? 'header Location' : from.field}`,
    );
  setAnnotation(resource, nameOf(verb), named);
}

export async function readOperation(
  recorded: string,
  operation: RestOperation,
  { calls, baseUrl }: { readonly calls: Pick<RestCalls, 'read'>; readonly baseUrl: string },
  ctx: ReconcileContext,
): Promise<OperationState> {
  const { route, parameters, query } = requestOf(recorded, operation, baseUrl);
  const response = await calls.read(route, parameters, ctx, query);
  if (response === undefined) return { state: 'gone', message: 'the API does not know its operation' };
  const { body } = response;
  const state = textOf(valueAt(body, pathOf(operation.state)));
  if (state !== undefined && operation.failed.includes(state)) {
    const message = operation.message && textOf(valueAt(body, pathOf(operation.message)));
    return {
      state: 'failed',
      message: `its operation has ended as ${state}${message ? `: ${message}` : ''}`,
    };
  }
  if (state === undefined || !operation.succeeded.includes(state))
    return { state: 'running', pollAfterMs: operation.pollAfterMs ?? 5000 };
  const external = valueAt(body, pathOf(operation.result));
  return { state: 'succeeded', external: isObject(external) ? external : {} };
}

function requestOf(recorded: string, { read }: RestOperation, baseUrl: string) {
  if (read !== undefined) {
    const last = parametersIn(splitRoute(read).path).at(-1);
    return { route: read, parameters: (name: string) => (name === last ? recorded : undefined), query: {} };
  }
  // Without the host: credentials of the API must not be sent to another one.
  const { pathname, searchParams } =
    URL.parse(recorded, 'https://api.invalid') ?? new URL('https://api.invalid');
  // Routes are below the path of the API, which a Location has too.
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const path = pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return {
    route: `GET ${path}` as Route,
    parameters: () => undefined,
    query: Object.fromEntries(searchParams),
  };
}
