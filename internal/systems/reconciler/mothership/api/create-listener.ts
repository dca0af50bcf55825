/**
 * Routes as a listener of the HTTP server: who sends a request, whether the client may, a line of the audit log, the route,
 * and the response or the error as JSON. The HTTP library is loaded here only.
 */
import type { TLSSocket } from 'node:tls';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import {
  findCause,
  type JsonLimits,
  type Logger,
  messageOf,
  ProviderError,
  parseBoundedJson,
  redact,
} from '../../../../framework/base/index.ts';
import type { CompleteRequest, RequestListener } from '../../../../framework/process/index.ts';
import type { Page } from '../../../../framework/process/server/pages.ts';
import { type Refusal, RefusedError } from '../model/refused-error.ts';
import {
  ApiError,
  type ApiRequest,
  badRequest,
  type Caller,
  missingRole,
  type Route,
} from './api-request.ts';
import type { AuditLog } from './audit-log.ts';
import type { Login } from './login/login.ts';

/** What is served for browsers, beside the API. */
export interface Site {
  respond(request: Request): Promise<Response>;
  /** The header `authorization` of a browser's session; undefined: it has none. */
  authorization(headers: {
    readonly cookie: string | undefined;
    /** `sec-fetch-site`: which site made the browser send the request. */
    readonly site: string | undefined;
  }): string | undefined;
}

export interface ListenerOptions {
  readonly routes: readonly Route[];
  /** Pages without login, by path: probes and metrics. */
  readonly pages: Readonly<Record<string, () => Promise<Page>>>;
  /** Responds to `/ui/…`; undefined: there is no page. */
  readonly site?: Site | undefined;
  readonly login: Login;
  /** Undefined: changes are not written down. */
  readonly audit: AuditLog | undefined;
  /** Whether component reconcilers need a client certificate. */
  readonly needsCertificate: boolean;
  readonly log: Logger;
  /** Called for each request but those of component reconcilers. */
  readonly onRequest?: () => void;
  /** Aborted when requests in progress must end. */
  readonly signal: AbortSignal;
}

/** Limit of a request body in bytes. */
export const MAX_BODY_BYTES = 100_000;
const JSON_LIMITS: JsonLimits = { maxLength: MAX_BODY_BYTES, maxDepth: 64 };

const UTF8 = new TextDecoder();

type ApiContext = Context<{ Bindings: HttpBindings }>;

const PREFIX = '/:contract{v[0-9]{1,9}}';

export async function createListener(options: ListenerOptions): Promise<RequestListener> {
  const [{ Hono }, { getRequestListener }] = await Promise.all([
    import('hono/tiny'),
    import('@hono/node-server'),
  ]);
  const app = new Hono<{ Bindings: HttpBindings }>();
  for (const [path, page] of Object.entries(options.pages)) {
    app.get(path, async () => {
      const { status, contentType, body } = await page();
      return new Response(body, { status, headers: { 'content-type': contentType } });
    });
  }
  for (const route of options.routes) {
    app.on(route.method, `${PREFIX}${route.path}`, (context) => answer(context, route, options));
  }
  for (const path of new Set(options.routes.map((route) => route.path))) {
    app.all(`${PREFIX}${path}`, () => jsonResponse(405, { error: 'the method is not allowed here' }));
  }
  const { site } = options;
  if (site !== undefined) {
    app.get('/', (context) => context.redirect('/ui/'));
    app.all('/ui', (context) => site.respond(context.req.raw));
    app.all('/ui/*', (context) => site.respond(context.req.raw));
  }
  // No JSON: a client must not take a wrong URL for the answer that a cluster is unknown.
  app.notFound((context) => context.text('there is nothing at this path', 404));
  const listener = getRequestListener(app.fetch);
  return async (request, response) => void (await listener(request, response));
}

async function answer(context: ApiContext, route: Route, options: ListenerOptions): Promise<Response> {
  const log = options.log.child(fieldsOf(context, route));
  if (route.access !== 'callback' && route.access !== 'component') options.onRequest?.();
  let caller: Caller | undefined;
  try {
    caller = await admit(context, route, options);
    const request = requestOf(context, caller, options.signal);
    await audited(context, route, request, options);
    const { status = 200, body, events } = await route.handle(request);
    const level = route.method === 'GET' || route.access === 'callback' ? 'debug' : 'info';
    log[level]('request', { status, ...(caller.user === undefined ? {} : { user: caller.user }) });
    if (events !== undefined) return await streamOf(events, context, status);
    return body === undefined ? new Response(null, { status }) : jsonResponse(status, body);
  } catch (error) {
    const { status, message, isFault, cause } = failureOf(error);
    const user = caller?.user === undefined ? {} : { user: caller.user };
    log[isFault ? 'error' : 'info']('request refused', { status, error: cause, ...user });
    return jsonResponse(status, { error: message });
  }
}

/** @throws ApiError 401, 403 */
async function admit(context: ApiContext, route: Route, options: ListenerOptions): Promise<Caller> {
  const { login, needsCertificate, signal } = options;
  const { access } = route;
  const hasCertificate = (context.env.incoming.socket as Partial<TLSSocket>).authorized === true;
  if (access === 'callback' || (access === 'component' && needsCertificate)) {
    if (needsCertificate && !hasCertificate) throw new ApiError(401, 'a client certificate is needed');
    return { user: undefined, roles: new Set(['component']) };
  }
  const caller = await login.identify(
    {
      authorization: context.req.header('authorization') ?? sessionOf(context, options),
      xJwt: (route.namesUser ?? route.audited) ? context.req.header('x-jwt') : undefined,
    },
    signal,
  );
  if (!caller.roles.has(access)) throw missingRole(access, caller);
  return caller;
}

const sessionOf = ({ req }: ApiContext, { site }: ListenerOptions): string | undefined =>
  site?.authorization({ cookie: req.header('cookie'), site: req.header('sec-fetch-site') });

function requestOf(context: ApiContext, caller: Caller, stopping: AbortSignal): ApiRequest {
  const { req } = context;
  const parameter = (name: string): string | undefined => req.param(name) || req.query(name) || undefined;
  return {
    method: req.method,
    contract: contractOf(context),
    caller,
    address: context.env.incoming.socket.remoteAddress ?? '',
    get signal() {
      return AbortSignal.any([req.raw.signal, stopping]);
    },
    parameter,
    parameters: (name) => {
      const own = req.param(name);
      return (own === undefined ? (req.queries(name) ?? []) : [own]).filter((value) => value !== '');
    },
    body: () => {
      try {
        return parseBoundedJson(bodyOf(context), JSON_LIMITS);
      } catch (cause) {
        // The message of the parser may quote a kubeconfig.
        throw new ApiError(400, 'the body is no JSON, or has too many values', { cause });
      }
    },
  };
}

/** The server has read it. That of hono would be a stream that is read again. */
const bodyOf = ({ env: { incoming } }: ApiContext): string =>
  UTF8.decode((incoming as CompleteRequest).rawBody);

const contractOf = ({ req }: ApiContext): number => Number(req.param('contract')?.slice(1));

/** @throws ApiError 500 if the change cannot be written down */
async function audited(
  context: ApiContext,
  route: Route,
  { method, contract, caller }: ApiRequest,
  { audit, log }: ListenerOptions,
): Promise<void> {
  if (audit === undefined || !route.audited) return;
  const { pathname, search } = new URL(context.req.url);
  try {
    const body = bodyOf(context);
    await audit.write({ method, contract, uri: `${pathname}${search}`, body, user: caller.user });
  } catch (cause) {
    log.error('cannot write the audit log', { error: failureOf(cause).cause });
    throw new ApiError(500, 'the request is refused: it cannot be written to the audit log', { cause });
  }
}

/** Ids of the objects in question, by the names that logs of component reconcilers have. */
function fieldsOf({ req }: ApiContext, route: Route): Readonly<Record<string, string>> {
  const ids = {
    'runtime-id': req.param('runtimeID'),
    'scheduling-id': req.param('schedulingID'),
    'correlation-id': req.param('correlationID'),
  };
  const known = Object.entries(ids).flatMap(([name, id]) => (id === undefined ? [] : [[name, id] as const]));
  return { method: route.method, route: route.path, ...Object.fromEntries(known) };
}

const jsonResponse = (status: number, body: unknown): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });

/** Proxies neither keep nor collect events. */
const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** A stream lasts for minutes: a request for its headers alone gets none, and the body of one stays in memory as long. */
async function streamOf(
  events: ReadableStream<Uint8Array>,
  { req, env: { incoming } }: ApiContext,
  status: number,
): Promise<Response> {
  const hasBody = (incoming as CompleteRequest).rawBody.length > 0;
  if (req.method === 'GET' && !hasBody) return new Response(events, { status, headers: EVENT_HEADERS });
  await events.cancel();
  if (hasBody) throw badRequest('a request for events has no body');
  return new Response(null, { status, headers: EVENT_HEADERS });
}

/** For requests whose body was not read: too large, or no memory for it. */
export function refusedRequestPage(path: string, status: number): Page {
  const isCallback = /^\/v\d+\/operations\/[^/]+\/callback\//.test(path);
  const shown = status === 413 ? (isCallback ? 500 : badRequest('').status) : status;
  const problem = status === 413 ? `the body has more than ${MAX_BODY_BYTES} bytes` : 'the request failed';
  return { status: shown, contentType: 'application/json', body: JSON.stringify({ error: problem }) };
}

/** How a request failed. */
interface RequestFailure {
  readonly status: number;
  /** For the client: of errors that were not foreseen, e.g. of the database, nothing is shown. */
  readonly message: string;
  /** For the log. */
  readonly cause: string;
  /** Whether operators should know. */
  readonly isFault: boolean;
}

/** Statuses of refusals, unless a route has its own. */
const STATUSES: Readonly<Record<Refusal, number>> = {
  'not-found': 404,
  invalid: 400,
  'missing-token': 403,
  'stale-token': 409,
  final: 409,
  'not-new': 409,
  running: 409,
  mismatch: 409,
  foreign: 403,
  busy: 503,
};

function failureOf(error: unknown): RequestFailure {
  const cause = redact(messageOf(error));
  if (error instanceof ApiError) {
    return { status: error.status, message: cause, cause: causes(error), isFault: error.status >= 500 };
  }
  if (error instanceof RefusedError) {
    return { status: STATUSES[error.refusal], message: cause, cause, isFault: false };
  }
  const known = findCause(error, ProviderError);
  const shown =
    known !== undefined && known.kind !== 'bug' ? redact(messageOf(known)) : 'internal error, see the log';
  return { status: 500, message: shown, cause: causes(error), isFault: true };
}

/** The messages of an error and of what caused it. */
function causes(error: unknown): string {
  const messages: string[] = [];
  for (let e = error; e instanceof Error && messages.length < 5; e = e.cause) messages.push(messageOf(e));
  return redact(messages.length === 0 ? messageOf(error) : messages.join(': '));
}
