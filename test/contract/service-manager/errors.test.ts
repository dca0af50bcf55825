import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { FencedError } from '../../../internal/framework/base/concurrency/fence.ts';
import { ThrottledError } from '../../../internal/framework/base/errors/errors.ts';
import { LostResponseError, NoResponseError } from '../../../internal/framework/http/index.ts';
import { ServiceManagerError } from '../../../internal/systems/btp/service-manager/index.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import { callOptions, connectionsTo, identity, newInstance, startSimulator, thrownBy } from './set-up.ts';

let simulator: ServiceManagerSimulator;
const { connect, closeAll } = connectionsTo(() => simulator);
beforeAll(async () => {
  simulator = await startSimulator();
});
afterEach(async () => {
  await closeAll();
  simulator.reset();
});
afterAll(() => simulator.stop());

const query = { name: 'orders-db', identity };

/** The error of a create that is answered so. */
async function createAnswered(status: number, body?: unknown, headers: Record<string, string> = {}) {
  const client = await connect();
  simulator.faults.add({ on: { route: 'createInstance' }, do: { kind: 'status', status, body, headers } });
  return thrownBy(() => client.createInstance(newInstance, callOptions()));
}

const description = 'no such thing';
const broker_error = { StatusCode: 400, ErrorMessage: 'bad size', Description: 'size must be 1' };
const brokerText = 'BrokerError:bad size, Status: 400, Description: size must be 1';

describe('[B135] the class and the text of an error response', () => {
  test.each([
    ['of a bad request', 400, { error: 'BadRequest', description }, 'non-transient', description],
    ['without JSON', 400, '{"description": ', 'non-transient', ''],
    ['without a description', 400, {}, 'non-transient', ''],
    ['of a taken name', 409, { error: 'Conflict', description }, 'conflict', description],
    ['of something gone', 410, { error: 'Gone', description }, 'gone', description],
    ['of a missing plan', 404, { error: 'NotFound', description }, 'not-found', description],
    [
      'of a concurrent operation',
      422,
      { error: 'ConcurrentOperationInProgress', description },
      'concurrent-operation',
      description,
    ],
    ['of another 422', 422, { error: 'Other', description }, 'non-transient', description],
    ['of a failure inside', 500, { error: 'InternalServerError', description }, 'transient', description],
    ['of a forbidden call', 403, { description }, 'auth', description],
    ['of a broker', 502, { error: 'BrokerError', description, broker_error }, 'broker', brokerText],
    [
      'of a broker with keys in lower case, and nulls',
      502,
      { broker_error: { statuscode: 429, errormessage: null, description: 'slow down' } },
      'broker',
      'BrokerError:, Status: 429, Description: slow down',
    ],
  ])('%s', async (_reason, status, body, errorClass, text) => {
    const error = await createAnswered(status, body);
    expect(error).toBeInstanceOf(ServiceManagerError);
    expect(error).toMatchObject({ status, class: errorClass, text });
    expect(error.message).toMatch(
      /^cannot create service instance orders-db: POST \/v1\/service_instances answered \d+/,
    );
    expect(simulator.requests({ route: 'createInstance' })).toHaveLength(1);
  });

  test.each([
    { of: 'Service Manager itself', status: 500, body: { error: 'Internal', description }, isUnknown: false },
    { of: 'a broker', status: 502, body: { broker_error }, isUnknown: false },
    {
      of: 'a router that has no route',
      status: 404,
      body: 'unknown route',
      headers: { 'x-cf-routererror': 'unknown_route' },
      isUnknown: false,
    },
    { of: 'a gateway', status: 502, body: { message: 'bad gateway' }, isUnknown: true },
  ])('of $of: whether a create has had an effect is unknown: $isUnknown', async (given) => {
    const error = await createAnswered(given.status, given.body, given.headers);
    expect(error instanceof LostResponseError).toBe(given.isUnknown);
  });

  test('of a router is 503, and never means that an object is gone', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'deleteInstance' }, do: { kind: 'router-404' } });
    simulator.faults.add({ on: { route: 'getInstance' }, do: { kind: 'router-404' } });
    for (const call of [
      () => client.deleteInstance('i', callOptions()),
      () => client.getInstance('i', callOptions()),
    ]) {
      expect(await thrownBy(call)).toMatchObject({ status: 503, class: 'transient' });
    }
  });

  test('a page of a proxy with status 200 does not mean that a deletion took effect, an empty 200 does', async () => {
    const client = await connect();
    for (const [route, call] of [
      ['deleteInstance', () => client.deleteInstance('i', callOptions())],
      ['deleteBinding', () => client.deleteBinding('b', callOptions())],
    ] as const) {
      const page = { kind: 'status', status: 200, body: '<html>sign in</html>' } as const;
      simulator.faults.add({ on: { route, first: 1 }, do: page });
      simulator.faults.add({ on: { route, skip: 1 }, do: { kind: 'status', status: 200 } });
      const error = await thrownBy(call);
      expect(error).toMatchObject({ kind: 'transient' });
      expect(error.message).toContain('the body is not JSON');
      await expect(call()).resolves.toEqual({ state: 'gone' });
    }
  });

  test('has one line, and is bounded', async () => {
    const error = await createAnswered(400, { description: `a\n\u001b[31mb${'x'.repeat(100_000)}` });
    if (!(error instanceof ServiceManagerError)) throw error;
    expect(error.text.startsWith('a [31mbxxx')).toBe(true);
    expect(error.text.length).toBeLessThanOrEqual(4096);
  });

  test('contains neither the secret nor the token', async () => {
    const { secret } = await simulator.credentials();
    const error = await createAnswered(400, {
      description: `for ${secret.clientsecret} eyJhbGciOi.eyJqdGki.x`,
    });
    expect(error).toMatchObject({ text: 'for [redacted] [redacted]' });
    expect(error.message).not.toContain(secret.clientsecret);
  });
});

describe('429', () => {
  test.each([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['a time in UTC that has passed', { 'retry-after': '2001-01-01 00:00:00 +0000 UTC' }, 1000],
    ['a time in UTC', { 'retry-after': '2999-01-01 00:00:00' }, 60_000],
    ['an HTTP date', { 'retry-after': 'Mon, 01 Jan 2999 00:00:00 GMT' }, 60_000],
    ['words', { 'retry-after': 'soon' }, 1000],
    ['nothing', {}, 1000],
  ])('with %s as Retry-After throttles', async (_reason, headers, retryAfterMs) => {
    const error = await createAnswered(429, { description }, headers);
    expect(error).toBeInstanceOf(ThrottledError);
    expect(error).toMatchObject({ kind: 'throttled', retryAfterMs });
  });

  test('[B12.7] pauses all calls of these credentials, but not those of others', async () => {
    const client = await connect();
    const other = await connect({}, 'x509');
    simulator.settings.rateLimit = { requests: 0, windowMs: 60_000 };
    for (let i = 0; i < 3; i++) {
      await thrownBy(() => client.findInstances(query, callOptions()));
    }
    expect(simulator.requests({ route: 'listInstances' })).toHaveLength(1);
    simulator.settings.rateLimit = null;
    const error = await thrownBy(() => client.createInstance(newInstance, callOptions()));
    expect(error).toMatchObject({ kind: 'throttled' });
    expect(error.message).toMatch(/this client of Service Manager has reached its rate limit/);
    await other.findInstances(query, callOptions());
  });
});

test('a 429 of a service broker delays only the call that got it', async () => {
  const client = await connect();
  const body = { broker_error: { StatusCode: 429, ErrorMessage: 'slow', Description: 'down' } };
  const error = await createAnswered(429, body, { 'retry-after': '30' });
  expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 30_000 });
  await expect(client.findInstances(query, callOptions())).resolves.toEqual([]);
});

describe('without a response', () => {
  test('a read is retried', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'listInstances', first: 2 }, do: { kind: 'reset' } });
    await expect(client.findInstances(query, callOptions())).resolves.toEqual([]);
  });

  test('a create may have taken effect, is not retried, and is found by a recovery', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'createInstance' }, do: { kind: 'reset', when: 'after' } });
    const error = await thrownBy(() => client.createInstance(newInstance, callOptions()));
    expect(error).toBeInstanceOf(LostResponseError);
    expect(simulator.requests({ route: 'createInstance' })).toHaveLength(1);
    expect(await client.findInstances(query, callOptions())).toHaveLength(1);
  });

  test('a deletion is an error', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'deleteInstance' }, do: { kind: 'reset' } });
    const error = await thrownBy(() => client.deleteInstance('i', callOptions()));
    expect(error).toBeInstanceOf(NoResponseError);
  });

  test('within the timeout, the error says so', async () => {
    const client = await connect({ callTimeoutMs: 100 });
    simulator.faults.add({ on: { route: 'deleteInstance' }, do: { kind: 'hang' } });
    const error = await thrownBy(() => client.deleteInstance('i', callOptions()));
    expect(error.message).toContain('no answer within 0.1 s');
  });
});

describe('[B129] [B130] [B137] an error response is for users, so it is not retried', () => {
  test.each([
    ['listInstances', 400],
    ['getInstance', 400],
    ['getInstance', 500],
    ['updateInstance', 418],
    ['updateInstance', 500],
  ] as const)('%s, %d', async (route, status) => {
    const client = await connect();
    const body = { error: 'Some', description };
    simulator.faults.add({ on: { route }, do: { kind: 'status', status, body } });
    const call = {
      listInstances: () => client.findInstances(query, callOptions()),
      getInstance: () => client.getInstance('i', callOptions()),
      updateInstance: () => client.updateInstance('i', { name: 'n', servicePlanID: 'p' }, callOptions()),
    }[route];
    expect(await thrownBy(call)).toMatchObject({ status, text: description, code: 'Some' });
    expect(simulator.requests({ route })).toHaveLength(1);
  });
});

test.each([true, false])(
  '[B138] a refused change of sharing (%s) is an error with its status',
  async (shared) => {
    const client = await connect();
    const body = { error: 'InternalServerError', description };
    simulator.faults.add({ on: { route: 'updateInstance' }, do: { kind: 'status', status: 500, body } });
    const error = await thrownBy(() => client.shareInstance('i', shared, callOptions()));
    expect(error).toMatchObject({ status: 500, text: description });
  },
);

test('a gateway error without a body leaves the effect of a create unknown', async () => {
  expect(await createAnswered(504)).toBeInstanceOf(LostResponseError);
});

test('[B147] a call with a token that has expired or was revoked gets a new one, once', async () => {
  const client = await connect();
  await client.findInstances(query, callOptions());
  simulator.revokeTokens();
  await client.findInstances(query, callOptions());
  expect(simulator.requests({ route: 'grantToken' })).toHaveLength(2);
  simulator.faults.add({ on: { route: 'listInstances' }, do: { kind: 'expired-token' } });
  expect(await thrownBy(() => client.findInstances(query, callOptions()))).toMatchObject({ class: 'auth' });
});

test('credentials that the token endpoint refuses are no error of Service Manager', async () => {
  const client = await connect();
  await simulator.rotateCredentials('subaccount-1', { revokeOld: true });
  const error = await thrownBy(() => client.findInstances(query, callOptions()));
  expect(error).not.toBeInstanceOf(ServiceManagerError);
  expect(error).toMatchObject({ kind: 'auth', status: 401 });
});

test('a fence that is closed lets no write pass', async () => {
  const client = await connect();
  const fence = () => {
    throw new FencedError('not the leader');
  };
  const error = await thrownBy(() => client.createInstance(newInstance, { ...callOptions(), fence }));
  expect(error.message).toContain('not the leader');
  expect(simulator.requests({ route: 'createInstance' })).toEqual([]);
});
