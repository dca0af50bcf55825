import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import type { FaultRule, Faults } from './faults/faults.ts';
import type { RequestFilter, RequestRecord } from './journal.ts';

/** A call of a simulator's admin API, which controls it from another process. It has no authentication. */
export interface AdminCall<S> {
  readonly method: string;
  /** Below `/_simulator`. */
  readonly path: RegExp;
  readonly help: string;
  /** Of the body; absent: there is none. */
  readonly schema?: AnySchema;
  run(simulator: S, call: ReceivedCall): unknown;
}

export interface ReceivedCall {
  readonly names: readonly string[];
  readonly query: URLSearchParams;
  /** Valid against the schema of its admin call. */
  readonly body: unknown;
}

/** What all simulators have. */
export interface Controllable<R extends string> {
  readonly caCertificate: string;
  readonly faults: Faults<R>;
  readonly settings: object;
  requests(filter?: RequestFilter<R>): RequestRecord<R>[];
  revokeTokens(clientID?: string): void;
  reset(): void;
}

export const text = { type: 'string', minLength: 1 };
export const count = { type: 'integer', minimum: 0 };
export const closed = { type: 'object', additionalProperties: false };
const faultTiming = { enum: ['before', 'after'] };

const action = (kind: string, properties: Record<string, unknown> = {}, required: string[] = []) => ({
  ...closed,
  required: ['kind', ...required],
  properties: { kind: { const: kind }, ...properties },
});

const ruleSchema = (routes: readonly string[]) => ({
  ...closed,
  required: ['on', 'do'],
  properties: {
    on: {
      ...closed,
      properties: {
        route: { enum: routes },
        method: text,
        path: text,
        instance: text,
        name: text,
        clientID: text,
        skip: count,
        first: count,
        every: { type: 'integer', minimum: 1 },
        probability: { type: 'number', minimum: 0, maximum: 1 },
        seed: { type: 'integer' },
      },
    },
    do: {
      type: 'object',
      required: ['kind'],
      discriminator: { propertyName: 'kind' },
      oneOf: [
        action('delay', { ms: count }, ['ms']),
        action('hang', { when: faultTiming }),
        action('reset', { when: faultTiming }),
        action(
          'status',
          {
            status: { type: 'integer', minimum: 200, maximum: 599 },
            body: true,
            headers: { type: 'object', additionalProperties: text },
            when: faultTiming,
          },
          ['status'],
        ),
        action('malformed', { body: { type: 'string' }, when: faultTiming }),
        action('oversized', { bytes: count, when: faultTiming }, ['bytes']),
        action('truncated', { when: faultTiming }),
        action('slow-body', { ms: count, when: faultTiming }, ['ms']),
        action('expired-token'),
        action('unknown-instance'),
        action('router-404'),
        action('unavailable', { retryAfter: text }),
        action('redirect', { location: text }, ['location']),
      ],
    },
  },
});

/** The calls that all simulators have. */
export function commonCalls<R extends string, S extends Controllable<R>>(
  routes: readonly R[],
  settings: Readonly<Record<string, unknown>>,
): AdminCall<S>[] {
  return [
    {
      method: 'GET',
      path: /^\/ca$/,
      help: 'GET /ca: the certificate (PEM) that its clients have to trust',
      run: ({ caCertificate }) => ({ pem: caCertificate }),
    },
    {
      method: 'GET',
      path: /^\/requests$/,
      help: 'GET /requests?route=&method=&path=&instance=&clientID=&status=&after=: what was asked, in order',
      run: (simulator, { query }) => simulator.requests(filterOf(query)),
    },
    {
      method: 'PATCH',
      path: /^\/settings$/,
      help: `PATCH /settings {${Object.keys(settings).join(', ')}}`,
      schema: { ...closed, properties: settings },
      run: (simulator, { body }) => Object.assign(simulator.settings, body),
    },
    {
      method: 'POST',
      path: /^\/faults$/,
      help: 'POST /faults {on: {route, path, instance, name, every, first, skip, …}, do: {kind, …}}: add one; answers with its id',
      schema: ruleSchema(routes),
      // The schema was checked.
      run: ({ faults }, { body }) => ({ id: faults.add(body as FaultRule<R>).id }),
    },
    {
      method: 'DELETE',
      path: /^\/faults$/,
      help: 'DELETE /faults: take all away',
      run: ({ faults }) => faults.clear(),
    },
    {
      method: 'DELETE',
      path: /^\/faults\/([^/]+)$/,
      help: 'DELETE /faults/{id}',
      run: ({ faults }, { names: [id = ''] }) => ({ removed: faults.remove(id) }),
    },
    {
      method: 'DELETE',
      path: /^\/tokens$/,
      help: 'DELETE /tokens?clientID=: revoke them',
      run: (simulator, { query }) => simulator.revokeTokens(query.get('clientID') ?? undefined),
    },
    {
      method: 'POST',
      path: /^\/reset$/,
      help: 'POST /reset: forget what was made, tokens, faults, records and changed settings',
      run: (simulator) => simulator.reset(),
    },
  ];
}

const ajv = new Ajv2020({ discriminator: true, strict: false });

/** Serves the admin API: these calls, and a list of them at its root. */
export function createAdmin<S>(
  calls: readonly AdminCall<S>[],
): (simulator: S, request: IncomingMessage, response: ServerResponse, body: string) => Promise<void> {
  const help = ['GET /: this list', ...calls.map((call) => call.help)];
  return async (simulator, request, response, body) => {
    const answer = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify(value, null, 2)}\n`);
    };
    const url = new URL(request.url ?? '/', 'https://simulator');
    const path = url.pathname.slice('/_simulator'.length);
    if (request.method === 'GET' && ['', '/'].includes(path)) return answer(200, { calls: help });
    const adminCall = calls.find(
      (candidate) => candidate.method === request.method && candidate.path.test(path),
    );
    if (adminCall === undefined) return answer(404, { error: 'there is no such call', calls: help });
    try {
      const names = (adminCall.path.exec(path) ?? []).slice(1).map((name) => decodeURIComponent(name));
      const parsed: unknown = body === '' ? {} : JSON.parse(body);
      if (adminCall.schema !== undefined && !ajv.validate(adminCall.schema, parsed)) {
        return answer(400, { error: ajv.errorsText(ajv.errors, { dataVar: 'body' }) });
      }
      const result = await adminCall.run(simulator, { names, query: url.searchParams, body: parsed });
      answer(200, result ?? { done: true });
    } catch (error) {
      answer(400, { error: error instanceof Error ? error.message : String(error) });
    }
  };
}

function filterOf<R extends string>(query: URLSearchParams): RequestFilter<R> {
  const numbers = ['status', 'after'];
  const entries = [...query].map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]);
  return Object.fromEntries(entries) as RequestFilter<R>;
}
