import type { IncomingMessage, ServerResponse } from 'node:http';
import { Ajv2020, type AnySchema } from 'ajv/dist/2020.js';
import type { FaultRule } from './faults/faults.ts';
import type { HanaCloudSimulator, Settings } from './hana-cloud-simulator.ts';
import type { RequestFilter } from './journal.ts';
import { keyIn } from './mappings-service.ts';
import type { Mapping } from './store.ts';

/** The simulator's admin API, to control it from another process. It has no authentication. */
interface AdminCall {
  readonly method: string;
  /** Below `/_simulator`. */
  readonly path: RegExp;
  readonly help: string;
  /** Of the body; absent: there is none. */
  readonly schema?: AnySchema;
  run(simulator: HanaCloudSimulator, call: DoorCall): unknown;
}

interface DoorCall {
  readonly names: readonly string[];
  readonly query: URLSearchParams;
  /** Valid against the schema of its admin call. */
  readonly body: unknown;
}

const text = { type: 'string', minLength: 1 };
const count = { type: 'integer', minimum: 0 };
const closed = { type: 'object', additionalProperties: false };
const faultTiming = { enum: ['before', 'after'] };

const action = (kind: string, properties: Record<string, unknown> = {}, required: string[] = []) => ({
  ...closed,
  required: ['kind', ...required],
  properties: { kind: { const: kind }, ...properties },
});

const ruleSchema = {
  ...closed,
  required: ['on', 'do'],
  properties: {
    on: {
      ...closed,
      properties: {
        route: { enum: ['list', 'create', 'delete', 'token'] },
        method: text,
        instance: text,
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
        action('malformed', { body: { type: 'string' } }),
        action('oversized', { bytes: count }, ['bytes']),
        action('truncated'),
        action('expired-token'),
        action('unknown-instance'),
        action('router-404'),
        action('unavailable', { retryAfter: text }),
        action('redirect', { location: text }, ['location']),
      ],
    },
  },
};

const mappingSchema = {
  ...closed,
  required: ['platform', 'primaryID', 'isDefault'],
  properties: { platform: text, primaryID: text, secondaryID: text, isDefault: { type: 'boolean' } },
};

const settingsSchema = {
  ...closed,
  properties: {
    latencyMs: count,
    tokenLifetimeSeconds: { type: 'number', exclusiveMinimum: 0 },
    tokenFormat: { enum: ['jwt', 'opaque'] },
    omitTokenExpiry: { type: 'boolean' },
    hiddenAs: { enum: [403, 404] },
  },
};

const adminCalls: readonly AdminCall[] = [
  {
    method: 'GET',
    path: /^\/?$/,
    help: 'GET /: this list',
    run: () => ({ calls: adminCalls.map(({ help }) => help) }),
  },
  {
    method: 'GET',
    path: /^\/state$/,
    help: 'GET /state: instances with their mappings, settings, faults, violations',
    run: (simulator) => ({
      instances: Object.fromEntries(
        simulator.store.instances().map((id) => [id, simulator.store.mappings(id)]),
      ),
      settings: simulator.settings,
      faults: simulator.faults.list(),
      violations: simulator.violations(),
      maxInFlight: simulator.maxInFlight(),
    }),
  },
  {
    method: 'GET',
    path: /^\/ca$/,
    help: 'GET /ca: the certificate (PEM) that its clients have to trust',
    run: ({ caCertificate }) => ({ pem: caCertificate }),
  },
  {
    method: 'GET',
    path: /^\/requests$/,
    help: 'GET /requests?route=&instance=&clientID=&status=&after=: what was asked, in order',
    run: ({ requests }, { query }) => requests(filterOf(query)),
  },
  {
    method: 'PATCH',
    path: /^\/settings$/,
    help: 'PATCH /settings {latencyMs, tokenLifetimeSeconds, tokenFormat, omitTokenExpiry, hiddenAs}',
    schema: settingsSchema,
    run: ({ settings }, { body }) => Object.assign(settings, body as Partial<Settings>),
  },
  {
    method: 'POST',
    path: /^\/faults$/,
    help: 'POST /faults {on: {route, instance, every, first, skip, …}, do: {kind, …}}: add one; answers with its id',
    schema: ruleSchema,
    run: ({ faults }, { body }) => ({ id: faults.add(body as FaultRule).id }),
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
    method: 'PUT',
    path: /^\/instances\/([^/]+)$/,
    help: 'PUT /instances/{id}',
    run: ({ store }, { names: [id = ''] }) => store.addInstance(id),
  },
  {
    method: 'DELETE',
    path: /^\/instances\/([^/]+)$/,
    help: 'DELETE /instances/{id}',
    run: ({ store }, { names: [id = ''] }) => store.removeInstance(id),
  },
  {
    method: 'POST',
    path: /^\/instances\/([^/]+)\/mappings$/,
    help: 'POST /instances/{id}/mappings {platform, primaryID, secondaryID, isDefault}: as a third party would',
    schema: mappingSchema,
    run: ({ store }, { names: [id = ''], body }) => ({ added: store.addMapping(id, body as Mapping) }),
  },
  {
    method: 'DELETE',
    path: /^\/instances\/([^/]+)\/mappings$/,
    help: 'DELETE /instances/{id}/mappings?primaryID=&secondaryID=: as a third party would',
    run: ({ store }, { names: [id = ''], query }) => ({ removed: store.removeMapping(id, keyIn(query)) }),
  },
  {
    method: 'GET',
    path: /^\/instances\/([^/]+)\/credentials$/,
    help: 'GET /instances/{id}/credentials: data of the Secret, in its three forms',
    run: ({ credentials }, { names: [id = ''] }) => credentials(id),
  },
  {
    method: 'POST',
    path: /^\/instances\/([^/]+)\/credentials$/,
    help: 'POST /instances/{id}/credentials {revokeOld}: new ones',
    schema: { ...closed, properties: { revokeOld: { type: 'boolean' } } },
    run: ({ rotateCredentials }, { names: [id = ''], body }) =>
      rotateCredentials(id, body as { revokeOld?: boolean }),
  },
  {
    method: 'DELETE',
    path: /^\/tokens$/,
    help: 'DELETE /tokens?clientID=: revoke them',
    run: ({ store }, { query }) => store.revokeTokens(query.get('clientID') ?? undefined),
  },
  {
    method: 'POST',
    path: /^\/reset$/,
    help: 'POST /reset: forget mappings, tokens, faults, records and changed settings',
    run: (simulator) => simulator.reset(),
  },
];

const ajv = new Ajv2020({ discriminator: true, strict: false });

export async function handleAdmin(
  simulator: HanaCloudSimulator,
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
): Promise<void> {
  const answer = (status: number, value: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(value, null, 2)}\n`);
  };
  const url = new URL(request.url ?? '/', 'https://simulator');
  const path = url.pathname.slice('/_simulator'.length);
  const adminCall = adminCalls.find(
    (candidate) => candidate.method === request.method && candidate.path.test(path),
  );
  if (adminCall === undefined) {
    answer(404, { error: 'there is no such call', calls: adminCalls.map(({ help }) => help) });
    return;
  }
  try {
    const names = (adminCall.path.exec(path) ?? []).slice(1).map((name) => decodeURIComponent(name));
    const parsed: unknown = body === '' ? {} : JSON.parse(body);
    if (adminCall.schema !== undefined && !ajv.validate(adminCall.schema, parsed)) {
      answer(400, { error: ajv.errorsText(ajv.errors, { dataVar: 'body' }) });
      return;
    }
    answer(
      200,
      (await adminCall.run(simulator, { names, query: url.searchParams, body: parsed })) ?? { done: true },
    );
  } catch (error) {
    answer(400, { error: error instanceof Error ? error.message : String(error) });
  }
}

function filterOf(query: URLSearchParams): RequestFilter {
  const numbers = ['status', 'after'];
  const entries = [...query].map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]);
  return Object.fromEntries(entries) as RequestFilter;
}
