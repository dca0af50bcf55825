import { findCause, kindOf, ProviderError, withTargets } from '../base/errors/errors.ts';
import { jsonEqual } from '../base/json/json-equal.ts';
import { isObject, valueAt } from '../base/json/json-field.ts';
import { hasJsonObject } from '../http/errors/error-of-response.ts';
import {
  type ApiClient,
  errorOfResponse,
  fenced,
  isRetryable,
  isRetryableUnsent,
  ResponseError,
} from '../http/index.ts';
import type { ReconcileContext } from '../managed/index.ts';
import {
  type JsonObject,
  type Method,
  pathOf,
  type RestHooks,
  type RestList,
  type Route,
} from './definition.ts';
import { type Parameters, textOf } from './external-name.ts';
import type { RestConnection } from './rest-api.ts';

/** The requests of one reconcile. */
export interface RestCalls {
  /** The JSON of the response, and its headers; undefined for a 404 of the API. */
  read(
    route: Route,
    parameters: ParametersOf,
    ctx: ReconcileContext,
    query?: Record<string, string>,
  ): Promise<RestResponse | undefined>;
  /** The items of a list, page by page; undefined if the list itself does not exist. */
  list(list: RestList, parameters: ParametersOf, ctx: ReconcileContext): AsyncIterable<JsonObject>;
  /** As `read`, for other methods. A 404 of a DELETE is no error. */
  write(route: Route, request: RestRequest, ctx: ReconcileContext): Promise<RestResponse | undefined>;
}

type ParametersOf = (parameter: string) => string | undefined;

interface RestRequest {
  readonly parameters: ParametersOf;
  /** Completes `cannot … <noun>`. Default: by the method. */
  readonly doing?: string;
  readonly body?: JsonObject;
  /** The dotted path of `body` in what is sent. Default: `body` is sent itself. */
  readonly request?: string;
  readonly contentType?: string;
  /** A second request could have a second effect: it is not repeated once it was sent. Default false. */
  readonly once?: boolean;
}

export interface RestResponse {
  readonly status: number;
  readonly body: unknown;
  readonly location: string | undefined;
}

interface AnyOperation {
  parameters: { query?: Record<string, string>; path?: Record<string, string> };
  requestBody?: { content: { 'application/json': unknown } };
  responses: { 200: { headers: Record<string, unknown>; content: { 'application/json': unknown } } };
}
/** Paths that are known at run time only. */
type AnyPaths = Record<string, Record<'get' | 'post' | 'put' | 'patch' | 'delete', AnyOperation>>;

/** More than any list that a reconcile can read within its deadline. */
const MAX_PAGES = 1000;

interface RestCallsDefinition {
  readonly noun: string;
  readonly terminalStatuses?: readonly number[];
  readonly hooks?: Pick<RestHooks, 'errorOf'>;
}

export function restCalls(
  definition: RestCallsDefinition,
  { session, headers, targets }: RestConnection,
): RestCalls {
  const { noun, terminalStatuses = [400, 422], hooks } = definition;
  const client: ApiClient<AnyPaths> = session.client<AnyPaths>({
    // IDs may be integers of 64 bits.
    jsonLimits: { rawNumbers: true },
    errorOf: (response, context) => {
      const error = (hooks?.errorOf ?? errorOfResponse)(response, context);
      if (!(error instanceof ResponseError) || context.route.startsWith('GET ')) return error;
      const { status, route, code } = error;
      // A page of a proxy or firewall says nothing of the spec.
      if (!hasJsonObject(response)) return error;
      if (terminalStatuses.includes(status))
        return new ResponseError(error.message, { status, route, code, kind: 'terminal' });
      // The API itself says that it failed. Only after an error of a gateway is the effect of a POST unknown.
      const isOwnFailure = route.startsWith('POST ') && (status === 500 || status === 503);
      return isOwnFailure ? new ProviderError('transient', error.message) : error;
    },
  });

  const send = async (
    route: Route,
    {
      parameters,
      doing,
      body,
      request,
      contentType,
      once = false,
      query = {},
    }: RestRequest & { readonly query?: Record<string, string> },
    ctx: ReconcileContext,
  ): Promise<RestResponse> => {
    const { method, path } = splitRoute(route);
    const isWrite = method !== 'GET';
    const call = {
      doing: `${doing ?? (isWrite ? 'delete' : 'read')} ${noun}`,
      signal: ctx.signal,
      isRetryable: once ? isRetryableUnsent : isRetryable,
      ...(once ? { unrepeatable: `${method} ${path}` } : {}),
    };
    const init = {
      params: { path: pathParameters(path, parameters), query },
      ...(body === undefined ? {} : { body: wrapped(body, pathOf(request)) }),
      headers: { ...headers, ...(contentType === undefined ? {} : { 'content-type': contentType }) },
      signal: ctx.signal,
      parseAs: 'text' as const,
      middleware: isWrite ? [fenced(ctx.assertMayWrite)] : [],
    };
    try {
      await session.admit(call);
      return await session.call(call, async () => {
        // The limits of `json` apply to what is parsed; a response without a body has none.
        const { response } = await client.request(lowerMethod(method), path, init);
        const text = await response.text();
        return {
          status: response.status,
          body: text.trim() === '' ? undefined : ((await response.json()) as unknown),
          location: response.headers.get('location') ?? undefined,
        };
      });
    } catch (error) {
      // Other credentials help only against a refusal.
      throw kindOf(error) === 'auth' ? withTargets(error, targets) : error;
    }
  };

  const found = (work: Promise<RestResponse>) =>
    work.catch((error: unknown) => {
      if (error instanceof ProviderError && error.kind === 'not-found') return undefined;
      throw error;
    });

  return {
    read: (route, parameters, ctx, query = {}) => found(send(route, { parameters, query }, ctx)),
    write: (route, request, ctx) => {
      const sent = send(route, request, ctx);
      // What is deleted already need not be deleted.
      return route.startsWith('DELETE ') ? found(sent) : sent;
    },
    list: async function* ({ list: route, items: path, pages }, parameters, ctx) {
      let query: Record<string, string> | undefined = firstQuery(pages);
      const seen = new Set<string>();
      let before = 0;
      let last: readonly unknown[] = [];
      /** The most items of a page. The API may allow less than was requested. */
      let largest = 0;
      for (let page = 0; query !== undefined; page++) {
        if (page === MAX_PAGES)
          throw new ProviderError('terminal', `cannot list ${noun}: there are more than ${MAX_PAGES} pages`);
        const request = found(send(route, { parameters, query }, ctx));
        const isExpected = page === 0 || pages?.by === 'token' || last.length === pages?.size;
        const response = await (isExpected ? request : withoutSuchPage(request));
        if (response === undefined) return;
        const listed = valueAt(response.body, pathOf(path));
        if (listed !== null && !Array.isArray(listed))
          throw new ProviderError(
            'transient',
            `cannot list ${noun}: ${route} has no list at ${path ?? 'its root'}`,
          );
        const items: readonly unknown[] = listed ?? [];
        // An API may have the last page again for each later one, or no pages at all.
        if (page > 0 && pages?.by !== 'token' && jsonEqual(items, last)) return;
        for (const item of items) if (isObject(item)) yield item;
        last = items;
        before += items.length;
        const isLast = items.length === 0 || items.length < largest;
        largest = Math.max(largest, items.length);
        query = nextQuery(pages, { page, before, isLast, body: response.body });
        const token = JSON.stringify(query);
        if (query !== undefined && seen.has(token))
          throw new ProviderError('transient', `cannot list ${noun}: ${route} repeats a page`);
        seen.add(token);
      }
    },
  };
}

/** No such page, as APIs say it in several ways. Only where the page before was not full, so that there need not be one. */
const withoutSuchPage = (response: Promise<RestResponse | undefined>) =>
  response.catch((error: unknown) => {
    const { status } = findCause(error, ResponseError) ?? {};
    if (status === 400 || status === 416 || status === 422) return undefined;
    throw error;
  });

const wrapped = (body: JsonObject, path: readonly string[]): JsonObject =>
  path.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), body);

function firstQuery(pages: RestList['pages']): Record<string, string> {
  switch (pages?.by) {
    case undefined:
    case 'token':
      return {};
    case 'number':
      return { [pages.parameter]: String(pages.first ?? 1), [pages.sizeParameter]: String(pages.size) };
    case 'offset':
      return { [pages.parameter]: '0', [pages.sizeParameter]: String(pages.size) };
    default:
      return pages satisfies never;
  }
}

/** The query of the next page; undefined after the last one. */
function nextQuery(
  pages: RestList['pages'],
  last: { readonly page: number; readonly before: number; readonly isLast: boolean; readonly body: unknown },
): Record<string, string> | undefined {
  switch (pages?.by) {
    case undefined:
      return undefined;
    case 'token': {
      const token = textOf(valueAt(last.body, pathOf(pages.next)));
      return token === undefined ? undefined : { [pages.parameter]: token };
    }
    case 'number':
    case 'offset': {
      if (last.isLast) return undefined;
      const next = pages.by === 'offset' ? last.before : (pages.first ?? 1) + last.page + 1;
      return { [pages.parameter]: String(next), [pages.sizeParameter]: String(pages.size) };
    }
    default:
      return pages satisfies never;
  }
}

/** `.` and `..` would address another resource of the API, and so would nothing. */
function pathParameters(path: string, parameters: ParametersOf): Parameters {
  return Object.fromEntries(
    parametersIn(path).map((name) => {
      const value = parameters(name);
      if (value === undefined || value === '' || value === '.' || value === '..')
        throw new ProviderError(
          'terminal',
          `${value === undefined || value === '' ? 'no value' : JSON.stringify(value)} for ${name} of the path ${path}: correct spec.forProvider, or the annotation crossplane.io/external-name`,
        );
      return [name, value];
    }),
  );
}

const LOWER = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'delete' } as const;

export function splitRoute(route: Route): { readonly method: Method; readonly path: string } {
  const space = route.indexOf(' ');
  return { method: route.slice(0, space) as Method, path: route.slice(space + 1) };
}

/** The names of the parameters of a path, in order. */
export const parametersIn = (path: string): string[] =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? '');

const lowerMethod = (method: Method) => LOWER[method];
