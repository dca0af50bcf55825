/** What the hosts of credentials send: HANA Cloud, Service Manager and their token endpoints. */
import fc from 'fast-check';
import { reserveNothing } from '../../../internal/framework/base/concurrency/limit-key.ts';
import { createDeps } from '../../../internal/framework/base/deps.ts';
import { grantToken } from '../../../internal/framework/http/oauth/client-credentials-grant.ts';
import { parseRetryAfter } from '../../../internal/framework/http/retry/retry-after.ts';
import { createApiSession } from '../../../internal/framework/http/session/api-session.ts';
import type { HttpResponse } from '../../../internal/framework/http/transport/send-request.ts';
import { createApiCalls } from '../../../internal/systems/btp/service-manager/calls/api-calls.ts';
import { createBindingsApi } from '../../../internal/systems/btp/service-manager/calls/bindings-api.ts';
import { createInstancesApi } from '../../../internal/systems/btp/service-manager/calls/instances-api.ts';
import { createCatalogApi } from '../../../internal/systems/btp/service-manager/catalogs.ts';
import { parseOperationURL } from '../../../internal/systems/btp/service-manager/operation-url.ts';
import { originatingIdentity } from '../../../internal/systems/btp/service-manager/originating-identity.ts';
import { createOperationsApi } from '../../../internal/systems/btp/service-manager/service-manager.ts';
import { createMappingsApi } from '../../../internal/systems/inventory/hana-cloud/mappings-api.ts';
import { damagedJson, damagedText } from '../arbitraries/damaged.ts';
import { hostileText } from '../arbitraries/hostile.ts';
import { echo, secret } from '../arbitraries/secret.ts';
import { foreignInput } from '../foreign-input.ts';

const signal = new AbortController().signal;
/** Retries come at once. */
const clock = {
  now: () => 1e12,
  monotonic: () => 0,
  after: (_ms: number, fn: () => void) => {
    const timer = setImmediate(fn);
    return () => clearImmediate(timer);
  },
};
const credentials = {
  baseUrl: 'https://api.example.com',
  tokenUrl: 'https://uaa.example.com/oauth/token',
  clientId: 'client',
  authentication: { method: 'client-secret', clientSecret: secret },
} as const;

/** A session whose host sends this response to every request. The host knows the client's secret and its token. */
function sessionOf(response: HttpResponse) {
  return createApiSession(
    {
      ...createDeps({ clock }),
      system: 'test',
      apiName: 'the API',
      limiter: { limit: () => undefined } as never,
    },
    {
      http: { send: async () => response },
      limits: () => ({ apiName: 'the API', hostSlots: { of: () => 8 }, holdsToken: true }),
      hosts: { credentialsID: 'id', baseUrl: credentials.baseUrl, tokenUrl: credentials.tokenUrl },
      isResumable: false,
      secrets: new Set([secret]),
      authorization: {
        grant: async () => ({ token: secret }),
        tokens: {
          token: async () => secret,
          holds: () => true,
          maskedBy: () => undefined,
          drop: () => undefined,
          clear: () => undefined,
        },
      },
      connections: { dispatcherFor: () => undefined as never, close: async () => undefined },
      reserve: reserveNothing,
      close: async () => undefined,
    },
  );
}

const headers = fc.record(
  {
    'content-type': fc.oneof(fc.constantFrom('application/json', 'text/plain', 'text/html'), hostileText),
    location: fc.oneof(
      hostileText,
      echo.map((text) => `/v1/x?token=${text}`),
      echo.map((text) => `https://${text}`),
    ),
    'retry-after': hostileText,
    'x-cf-routererror': hostileText,
    date: hostileText,
    'content-length': fc.constantFrom('0', '-1', '99999999999'),
  },
  { requiredKeys: [] },
);
const errorBody = fc.oneof(
  damagedJson({ error: { code: 'c', message: 'm' } }),
  damagedJson({ error: 'invalid_client', error_description: 'd', code: 1, message: 'm' }),
  damagedJson({
    error: 'E',
    description: 'd',
    broker_error: { StatusCode: 500, ErrorMessage: 'm', Description: 'd' },
  }),
  echo,
  echo.map((text) => JSON.stringify({ message: text })),
  echo.map((text) => JSON.stringify({ error: text, error_description: text })),
  echo.map((text) => JSON.stringify({ description: text, error: text })),
  echo.map((text) =>
    JSON.stringify({ broker_error: { statusCode: 1, errorMessage: text, description: text } }),
  ),
);

/** A successful response with a body like `valid`, or an error. */
const responses = (successes: readonly number[], valid: object): fc.Arbitrary<HttpResponse> =>
  fc.oneof(
    {
      arbitrary: fc.record({ status: fc.constantFrom(...successes), headers, body: damagedJson(valid) }),
      weight: 3,
    },
    {
      arbitrary: fc.record({
        status: fc.constantFrom(200, 204, 302, 400, 401, 403, 404, 409, 410, 418, 422, 429, 599),
        headers,
        body: errorBody,
      }),
      weight: 2,
    },
  );

const operation = {
  id: 'o',
  type: 'create',
  state: 'failed',
  description: 'd',
  errors: { description: 'e' },
};
const instance = {
  id: 'i-1',
  name: 'orders',
  service_plan_id: 'p',
  platform_id: 'pl',
  labels: { subaccount_id: ['s'], _k8sname: ['n'] },
  context: { subaccount_id: 's' },
  ready: true,
  usable: true,
  shared: false,
  last_operation: operation,
};
const binding = {
  id: 'b-1',
  name: 'orders',
  service_instance_id: 'i-1',
  labels: {},
  ready: true,
  credentials: { uri: `postgres://u:${secret}@h`, nested: { key: secret } },
  last_operation: operation,
};
const offering = { id: 'o', catalog_name: 'c', data_center: 'd', tags: ['t'] };
const plan = { id: 'p', catalog_name: 'c', service_offering_id: 'o' };
const page = (item: object) => ({ token: '', num_items: 1, items: [item, item] });
const identity = { clusterID: 'c', namespace: 'shop', name: 'orders' };
const query = { name: 'orders', identity };
const write = { signal, fence: () => undefined };

const callsOf = (response: HttpResponse) =>
  createApiCalls({ session: sessionOf(response), clientVersion: '1', correlationID: 'x' });

export const answersOfHosts = [
  foreignInput({
    name: 'a list of mappings of HANA Cloud',
    inputs: responses([200], {
      mappings: [{ platform: 'kubernetes', primaryID: 'c', secondaryID: 'n', isDefault: false }],
    }),
    read: (response) => createMappingsApi(sessionOf(response)).listMappings('i-1', { signal }),
  }),
  foreignInput({
    name: 'the response of HANA Cloud to a create',
    inputs: responses([200, 201], {}),
    read: (response) =>
      createMappingsApi(sessionOf(response)).createMapping(
        'i-1',
        { platform: 'kubernetes', primaryID: 'c', secondaryID: 'n', isDefault: false },
        write,
      ),
  }),
  foreignInput({
    name: 'the response of HANA Cloud to a deletion',
    inputs: responses([200, 204], {}),
    read: (response) =>
      createMappingsApi(sessionOf(response)).deleteMapping('i-1', { primaryID: 'c' }, write),
  }),
  foreignInput({
    name: 'an instance of Service Manager',
    inputs: responses([200], instance),
    read: (response) => createInstancesApi(callsOf(response)).getInstance('i-1', { signal }),
  }),
  foreignInput({
    name: 'instances of Service Manager',
    inputs: responses([200], page(instance)),
    read: (response) => createInstancesApi(callsOf(response)).findInstances(query, { signal }),
  }),
  foreignInput({
    name: 'the response of Service Manager to a create',
    inputs: responses([201, 202], instance),
    read: (response) =>
      createInstancesApi(callsOf(response)).createInstance(
        { name: 'n', servicePlanID: 'p', identity },
        write,
      ),
  }),
  foreignInput({
    name: 'a binding of Service Manager',
    inputs: responses([200], binding),
    read: (response) => createBindingsApi(callsOf(response)).getBinding('b-1', { signal }),
  }),
  foreignInput({
    name: 'bindings of Service Manager',
    inputs: responses([200], page(binding)),
    read: (response) => createBindingsApi(callsOf(response)).findBindings(query, { signal }),
  }),
  foreignInput({
    name: 'an operation of Service Manager',
    inputs: responses([200], operation),
    read: (response) =>
      createOperationsApi(callsOf(response)).getOperation('/v1/service_instances/i/operations/o', { signal }),
  }),
  foreignInput({
    name: 'offerings of Service Manager',
    inputs: responses([200], page(offering)),
    read: (response) => createCatalogApi(callsOf(response)).listOfferings("id eq 'x'", { signal }),
  }),
  foreignInput({
    name: 'plans of Service Manager',
    inputs: responses([200], page(plan)),
    read: (response) => createCatalogApi(callsOf(response)).listPlans("id eq 'x'", { signal }),
  }),
  foreignInput({
    name: 'the response of a token endpoint',
    inputs: responses([200], { access_token: 'abc', token_type: 'bearer', expires_in: 100, scope: 'x' }),
    read: async (response) => {
      const session = sessionOf(response);
      const { expiresInSeconds = 1, token } = await grantToken(
        {
          http: { send: async () => response },
          dispatcher: () => undefined as never,
          credentials,
          contextOf: (route) => ({ route, scrub: session.scrub, nowMs: clock.now() }),
          secretMethod: 'client_secret_basic',
        },
        signal,
      );
      if (!(expiresInSeconds >= 0)) throw new Error(`a token of ${expiresInSeconds} s`);
      if (!/^[\x21-\x7e]{1,16384}$/.test(token)) throw new Error('a token that is no header');
    },
  }),
  foreignInput({
    name: 'the header Retry-After',
    inputs: fc.record({
      retryAfter: fc.option(
        damagedText(
          fc.oneof(
            fc.integer().map(String),
            fc.constantFrom('Sun, 06 Nov 1994 08:49:37 GMT', '2024-01-01 12:00:30 +0000 UTC'),
          ),
        ),
        { nil: undefined },
      ),
      date: fc.option(damagedText(fc.constant('Sun, 06 Nov 1994 08:49:37 GMT')), { nil: undefined }),
      nowMs: fc.integer({ min: 0, max: 4e12 }),
    }),
    read: ({ nowMs, ...sent }) => {
      const ms = parseRetryAfter(sent, nowMs);
      if (ms !== undefined && !(ms >= 1000 && ms <= 60_000)) throw new Error(`a wait of ${ms} ms`);
    },
  }),
  foreignInput({
    name: 'the header Location of an operation',
    inputs: damagedText(
      fc.constantFrom('/v1/service_instances/i/operations/o', '/v1/service_bindings/b/operations/o'),
    ),
    read: (location) => {
      const path = parseOperationURL(location);
      for (const segment of [path?.id, path?.operationID]) {
        if (['', '.', '..'].includes(segment ?? 'x')) throw new Error('a segment that changes the path');
      }
    },
  }),
  foreignInput({
    name: 'the user of a resource, as a header',
    inputs: fc.record(
      {
        username: hostileText,
        uid: hostileText,
        groups: fc.array(hostileText, { maxLength: 3 }),
        extra: fc.dictionary(hostileText, fc.array(hostileText, { maxLength: 2 }), { maxKeys: 3 }),
      },
      { requiredKeys: [] },
    ),
    read: (user) => {
      const header = originatingIdentity(user);
      if (header !== undefined && !/^[\x20-\x7e]{2,4096}$/.test(header))
        throw new Error('no header can hold it');
    },
  }),
];
