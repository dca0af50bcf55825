import { findCause, kindOf, messageOf, ProviderError, withTargets, wrap } from '../base/errors/errors.ts';
import { isObject, jsonEqual, ownMember, valueAt } from '../base/json/json-value.ts';
import { hasJsonObject } from '../http/errors/error-of-response.ts';
import {
  type ApiClient,
  errorOfResponse,
  fenced,
  isRetryable,
  isRetryableUnsent,
  LostResponseError,
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
  readonly body?: JsonObject | readonly JsonObject[];
  /** The dotted path of `body` in what is sent. Default: `body` is sent itself. */
  readonly request?: string;
  readonly contentType?: string;
  /** An ETag. */
  readonly ifMatch?: string | undefined;
  /** A second request could have a second effect: it is not repeated once it was sent. Default false. */
  readonly once?: boolean;
}

export interface RestResponse {
  readonly status: number;
  readonly body: unknown;
  readonly location: string | undefined;
  readonly link: string | undefined;
  readonly etag: string | undefined;
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
/** Characters of what names a page. All of a list are kept, and servers accept no longer addresses. */
const MAX_PAGE_LENGTH = 8192;

interface RestCallsDefinition {
  readonly noun: string;
  readonly terminalStatuses?: readonly number[];
  readonly notFound?: 'any';
  readonly hooks?: Pick<RestHooks, 'errorOf'>;
}

export function restCalls(
  definition: RestCallsDefinition,
  { session, headers, query: ofAll = {}, targets }: RestConnection,
): RestCalls {
  const { noun, terminalStatuses = [400, 422], notFound, hooks } = definition;
  const client: ApiClient<AnyPaths> = session.client<AnyPaths>({
    // IDs may be integers of 64 bits.
    jsonLimits: { rawNumbers: true },
    errorOf: (response, context) => {
      const error = (hooks?.errorOf ?? errorOfResponse)(response, context);
      if (!(error instanceof ResponseError)) return error;
      const { status, route, code } = error;
      const isGone = status === 410 && hasJsonObject(response);
      if (isGone || ([404, 410].includes(status) && notFound === 'any'))
        return new ResponseError(error.message, { status, route, code, kind: 'not-found' });
      if (context.route.startsWith('GET ')) return error;
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
      ifMatch,
      once = false,
      query = {},
    }: RestRequest & { readonly query?: Record<string, string> },
    ctx: ReconcileContext,
  ): Promise<RestResponse> => {
    const { method, path, query: own } = splitRoute(route);
    const isWrite = method !== 'GET';
    const call = {
      doing: `${doing ?? (isWrite ? 'delete' : 'read')} ${noun}`,
      signal: ctx.signal,
      isRetryable: once ? isRetryableUnsent : isRetryable,
      ...(once ? { unrepeatable: `${method} ${path}` } : {}),
    };
    const init = {
      params: {
        path: pathParameters(path, parameters),
        query: { ...ofAll, ...queryParameters(own, path, parameters), ...query },
      },
      ...(body === undefined ? {} : { body: wrapped(body, pathOf(request)) }),
      headers: {
        ...headers,
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      },
      signal: ctx.signal,
      parseAs: 'text' as const,
      middleware: isWrite ? [fenced(ctx.assertMayWrite)] : [],
    };
    const answered = async () => {
      try {
        await session.admit(call);
        return await session.call(call, async () => {
          const { response } = await client.request(lowerMethod(method), path, init);
          return { response, text: await response.text() };
        });
      } catch (error) {
        // Other credentials help only against a refusal.
        throw kindOf(error) === 'auth' ? withTargets(error, targets) : error;
      }
    };
    const { response, text } = await answered();
    const header = (name: string) => response.headers.get(name) ?? undefined;
    try {
      return {
        status: response.status,
        // The limits of `json` apply to what is parsed; a response without a body has none.
        body: text.trim() === '' ? undefined : ((await response.json()) as unknown),
        location: header('location'),
        link: header('link'),
        etag: header('etag'),
      };
    } catch (error) {
      throw once
        ? effectUnknown(`cannot ${call.doing}: ${messageOf(error)}`)
        : wrap(error, `cannot ${call.doing}`);
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
      const sized = pages?.by === 'number' || pages?.by === 'offset' ? pages : undefined;
      let query: Query | undefined = firstQuery(pages);
      const seen = new Set<string>();
      let before = 0;
      let last: readonly unknown[] = [];
      /** The most items of a page. The API may allow less than was requested. */
      let largest = 0;
      for (let page = 0; query !== undefined; page++) {
        if (page === MAX_PAGES)
          throw new ProviderError('terminal', `cannot list ${noun}: there are more than ${MAX_PAGES} pages`);
        const request = found(send(route, { parameters, query }, ctx));
        const isFull = sized === undefined || last.length === sized.size;
        const response = await (page === 0 || isFull ? request : withoutSuchPage(request));
        if (response === undefined) return;
        const listed = valueAt(response.body, pathOf(path));
        if (listed !== null && !Array.isArray(listed))
          throw new ProviderError(
            'transient',
            `cannot list ${noun}: ${route} has no list at ${path ?? 'its root'}`,
          );
        const items: readonly unknown[] = listed ?? [];
        // An API may have the last page again for each later one, or no pages at all.
        if (page > 0 && sized !== undefined && jsonEqual(items, last)) return;
        for (const item of items) if (isObject(item)) yield item;
        last = items;
        before += items.length;
        const isLast = items.length === 0 || items.length < largest;
        largest = Math.max(largest, items.length);
        query = nextQuery(pages, { page, before, isLast, isEmpty: items.length === 0, response });
        const token = JSON.stringify(query);
        if (query !== undefined && token.length > MAX_PAGE_LENGTH)
          throw new ProviderError(
            'transient',
            `cannot list ${noun}: ${route} names a next page that is too long`,
          );
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

/** The error of a success that cannot be understood: a second request could have a second effect. */
export const effectUnknown = (message: string): LostResponseError =>
  new LostResponseError(`${message} (it may have taken effect)`);

const wrapped = (body: unknown, path: readonly string[]): unknown =>
  path.reduceRight((inner, name) => ({ [name]: inner }), body);

type Query = Record<string, string>;

function firstQuery(pages: RestList['pages']): Query {
  switch (pages?.by) {
    case undefined:
    case 'link':
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
  last: {
    readonly page: number;
    readonly before: number;
    readonly isLast: boolean;
    readonly isEmpty: boolean;
    readonly response: RestResponse;
  },
): Query | undefined {
  switch (pages?.by) {
    case undefined:
      return undefined;
    case 'token': {
      const token = textOf(valueAt(last.response.body, pathOf(pages.next)));
      return token === undefined ? undefined : { [pages.parameter]: token };
    }
    case 'link': {
      const { body, link } = last.response;
      const next = pages.next === undefined ? nextOf(link) : textOf(valueAt(body, pathOf(pages.next)));
      // Some APIs name a next page for good. Of the address only the query counts: a proxy may have another host and path.
      const url = next === undefined || last.isEmpty ? null : URL.parse(next, 'https://api.invalid');
      return url === null ? undefined : Object.fromEntries(url.searchParams);
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

/** The address with `rel="next"` of a header Link (RFC 8288). */
function nextOf(link = ''): string | undefined {
  const isNext = (parameter: string) => {
    const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim().toLowerCase());
    return name === 'rel' && value.replaceAll(/[",]/g, ' ').trim().split(/\s+/).includes('next');
  };
  for (const [, address, parameters = ''] of link.matchAll(/<([^<>]*)>([^<]*)/g))
    if (parameters.split(';').some(isNext)) return address;
  return undefined;
}

/** The query of a route: constants, and parameters as `{name}`. */
function queryParameters(query: string, path: string, parameters: ParametersOf): Query {
  const values = pathParameters(query, parameters, path);
  return Object.fromEntries(
    [...new URLSearchParams(query)].map(([name, value]) => [
      name,
      value.replace(/^\{([^{}]+)\}$/, (whole, parameter: string) => ownMember(values, parameter) ?? whole),
    ]),
  );
}

/** `.` and `..` would address another resource of the API, and so would nothing. */
function pathParameters(template: string, parameters: ParametersOf, path = template): Parameters {
  return Object.fromEntries(
    parametersIn(template).map((name) => {
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

export function splitRoute(route: Route): {
  readonly method: Method;
  readonly path: string;
  readonly query: string;
} {
  const space = route.indexOf(' ');
  const mark = route.indexOf('?');
  const end = mark < 0 ? route.length : mark;
  return {
    method: route.slice(0, space) as Method,
    path: route.slice(space + 1, end),
    query: route.slice(end + 1),
  };
}

/** The names of the parameters of a path or a query, in order. */
export const parametersIn = (path: string): string[] =>
  [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name ?? '');

const lowerMethod = (method: Method) => LOWER[method];
