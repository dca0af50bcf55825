import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { call } from '../base/http/https-call.ts';
import { type ServiceManagerSimulator, startServiceManagerSimulator } from './simulator.ts';

let simulator: ServiceManagerSimulator;
beforeAll(async () => {
  simulator = await startServiceManagerSimulator();
});
afterEach(() => simulator.reset());
afterAll(() => simulator.stop());

async function tokenOf(subaccount: string): Promise<string> {
  const { secret } = await simulator.credentials(subaccount);
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: secret.clientid ?? '',
    client_secret: secret.clientsecret ?? '',
  });
  const { body } = await call(`${simulator.url}/oauth/token`, simulator.caCertificate, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: form.toString(),
  });
  return JSON.parse(body).access_token;
}

async function send(method: string, path: string, body?: unknown, subaccount = 'subaccount-1') {
  const token = await tokenOf(subaccount);
  const response = await call(simulator.url + path, simulator.caCertificate, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { ...response, json: JSON.parse(response.body) };
}

const labels = (name: string) => ({ _namespace: ['shop'], _k8sname: [name], _clusterid: ['c-1'] });
const instance = (name: string, service_plan_id = 'plan-standard') => ({
  name,
  service_plan_id,
  labels: labels(name),
  ready: false,
  usable: false,
});

async function make(name: string, plan?: string): Promise<string> {
  return (await send('POST', '/v1/service_instances', instance(name, plan))).json.id;
}

async function bind(name: string, service_instance_id: string): Promise<string> {
  const body = { name, service_instance_id, labels: labels(name) };
  return (await send('POST', '/v1/service_bindings', body)).json.id;
}

const expectViolation = () => expect(simulator.violations()).toHaveLength(1);

describe('an instance', () => {
  test('has labels, and a context and a subaccount that follow from labels and credentials', async () => {
    const { status, json } = await send('POST', '/v1/service_instances', instance('a'));
    expect(status).toBe(201);
    expect(json).toMatchObject({
      labels: { ...labels('a'), subaccount_id: ['subaccount-1'] },
      context: { subaccount_id: 'subaccount-1', clusterid: 'c-1', namespace: 'shop' },
      ready: true,
    });
    expect(json).not.toHaveProperty('parameters');
    expect(simulator.violations()).toEqual([]);
  });

  test.each(['_namespace', '_k8sname', '_clusterid'])('needs the label %s', async (label) => {
    const { [label]: _, ...others } = labels('a') as Record<string, string[]>;
    const answer = await send('POST', '/v1/service_instances', { ...instance('a'), labels: others });
    expect(answer).toMatchObject({ status: 400, json: { error: 'BadRequest' } });
    expectViolation();
  });

  test('has a name that is unique in its subaccount', async () => {
    await make('a');
    const id = await make('b');
    const again = await send('POST', '/v1/service_instances', instance('a'));
    expect(again).toMatchObject({ status: 409, json: { error: 'Conflict' } });
    const rename = { name: 'a', service_plan_id: 'plan-standard' };
    expect(await send('PATCH', `/v1/service_instances/${id}`, rename)).toMatchObject({ status: 409 });
    const other = await send('POST', '/v1/service_instances', instance('a'), 'subaccount-2');
    expect(other.status).toBe(201);
  });

  test('is not visible in another subaccount', async () => {
    const id = await make('a');
    for (const [method, body] of [['GET'], ['DELETE'], ['PATCH', { shared: true }]] as const) {
      const answer = await send(method, `/v1/service_instances/${id}`, body, 'subaccount-2');
      expect(answer).toMatchObject({ status: 404, json: { error: 'NotFound' } });
    }
    expect((await send('GET', '/v1/service_instances', undefined, 'subaccount-2')).json.items).toEqual([]);
  });

  test('with bindings cannot be deleted', async () => {
    const id = await make('a');
    await bind('k', id);
    expect(await send('DELETE', `/v1/service_instances/${id}`)).toMatchObject({
      status: 400,
      json: { error: 'BadRequest' },
    });
  });

  test.each([
    ['of a plan that is not shareable', 'plan-private', { shared: true }, 0],
    ['together with other fields', 'plan-standard', { shared: true, name: 'b' }, 1],
  ])('%s cannot be shared', async (_reason, plan, body, violations) => {
    const id = await make('a', plan);
    expect(await send('PATCH', `/v1/service_instances/${id}`, body)).toMatchObject({ status: 400 });
    expect(simulator.violations()).toHaveLength(violations);
    expect(simulator.store.instances()).toMatchObject([{ name: 'a', shared: false }]);
  });

  test('of a plan that cannot be changed keeps it, and an unknown plan is refused', async () => {
    const id = await make('a', 'plan-fixed');
    const change = (service_plan_id: string) =>
      send('PATCH', `/v1/service_instances/${id}`, { name: 'a', service_plan_id });
    expect(await change('plan-standard')).toMatchObject({ status: 400 });
    expect(await change('plan-fixed')).toMatchObject({ status: 200 });
    expect(await change('nothing')).toMatchObject({ status: 404 });
    expect((await send('POST', '/v1/service_instances', instance('b', 'nothing'))).status).toBe(404);
  });
});

describe('a binding', () => {
  test('needs its instance, a bindable plan, and a name that is unique for the instance', async () => {
    const body = (service_instance_id: string) => ({ name: 'k', service_instance_id, labels: labels('k') });
    expect(await send('POST', '/v1/service_bindings', body('nothing'))).toMatchObject({ status: 404 });
    const unbindable = await make('a', 'plan-unbindable');
    expect(await send('POST', '/v1/service_bindings', body(unbindable))).toMatchObject({ status: 400 });
    const [first, second] = [await make('b'), await make('c')];
    expect(await send('POST', '/v1/service_bindings', body(first))).toMatchObject({
      status: 201,
      json: { credentials: { username: 'user-k', settings: { pool: 8 } } },
    });
    expect(await send('POST', '/v1/service_bindings', body(first))).toMatchObject({ status: 409 });
    expect((await send('POST', '/v1/service_bindings', body(second))).status).toBe(201);
  });

  test('cannot have a label removed and added in one request', async () => {
    const id = await bind('k', await make('a'));
    const change = (...changes: object[]) => send('PATCH', `/v1/service_bindings/${id}`, { labels: changes });
    const remove = { op: 'remove', key: '_k8sname', values: null };
    const add = { op: 'add', key: '_k8sname', values: ['k2'] };
    expect(await change(remove, add)).toMatchObject({ status: 400, json: { error: 'BadRequest' } });
    expect(simulator.store.bindings()).toMatchObject([{ labels: { _k8sname: ['k'] } }]);
    expect((await change(remove)).status).toBe(200);
    expect((await change(add)).status).toBe(200);
    expect(simulator.store.bindings()).toMatchObject([{ labels: { _k8sname: ['k2'] } }]);
  });

  test.each([[null], ['text'], [7], [{ auth: { basic: 'x' } }]])(
    'has the credentials %j of its mode',
    async (credentials) => {
      simulator.modes.add({ on: { kind: 'binding' }, mode: { credentials } });
      const id = await bind('k', await make('a'));
      expect((await send('GET', `/v1/service_bindings/${id}`)).json.credentials).toEqual(credentials);
    },
  );
});

describe('an operation', () => {
  test('is pending, then in progress, then ends; meanwhile other changes are refused', async () => {
    simulator.modes.add({ on: { operation: 'create' }, mode: { async: { polls: 4, pending: 1 } } });
    const answer = await send('POST', '/v1/service_instances', instance('a'));
    expect(answer).toMatchObject({ status: 202, json: {} });
    const location = String(answer.headers.location);
    const [, id] = /^\/v1\/service_instances\/([^/]+)\/operations\/[^/]+$/.exec(location) ?? [];
    const state = async () => (await send('GET', location)).json.state;
    expect(await state()).toBe('pending');
    expect(await state()).toBe('in progress');
    const refused = { status: 422, json: { error: 'ConcurrentOperationInProgress' } };
    expect(await send('DELETE', `/v1/service_instances/${id}`)).toMatchObject(refused);
    expect(await send('PATCH', `/v1/service_instances/${id}`, { shared: true })).toMatchObject(refused);
    expect(await state()).toBe('succeeded');
    expect((await send('GET', `/v1/service_instances/${id}`)).json).toMatchObject({
      ready: true,
      last_operation: { type: 'create', state: 'succeeded' },
    });
    expect(simulator.violations()).toEqual([]);
  });

  test('that fails has its errors, and leaves an instance that is not ready', async () => {
    const errors = { description: 'broker-failure' };
    simulator.modes.add({ on: { first: 1 }, mode: { async: { polls: 0, outcome: 'failed', errors } } });
    const { headers } = await send('POST', '/v1/service_instances', instance('a'));
    expect((await send('GET', String(headers.location))).json).toMatchObject({ state: 'failed', errors });
    expect(simulator.store.instances()).toMatchObject([{ ready: false }]);
    expect((await send('POST', '/v1/service_instances', instance('b'))).status).toBe(201);
  });

  test('of a deletion removes the object at its end, and is found after it', async () => {
    const id = await make('a');
    simulator.modes.add({ on: {}, mode: { async: { polls: null } } });
    const { headers } = await send('DELETE', `/v1/service_instances/${id}`);
    const location = String(headers.location);
    expect((await send('GET', location)).json).toMatchObject({ type: 'delete', state: 'in progress' });
    const operationID = location.split('/').at(-1) ?? '';
    expect(simulator.store.finishOperation(operationID, 'succeeded')).toBe(true);
    expect(simulator.store.instances()).toEqual([]);
    expect((await send('GET', location)).json).toMatchObject({ state: 'succeeded' });
    simulator.store.removeOperation(operationID);
    expect(await send('GET', location)).toMatchObject({ status: 404 });
  });
});

describe('a list', () => {
  const query = (fieldQuery: string, labelQuery?: string) =>
    `?${new URLSearchParams({ fieldQuery, ...(labelQuery === undefined ? {} : { labelQuery }) })}`;
  const names = async (path: string) =>
    (await send('GET', path)).json.items.map((item: { name?: string; id: string }) => item.name ?? item.id);

  test('has the objects that match all clauses', async () => {
    await make('a');
    await make("it's");
    const list = (fields: string, label?: string) => names(`/v1/service_instances${query(fields, label)}`);
    expect(await list("name in ('a', 'b', 'it''s')")).toEqual(['a', "it's"]);
    expect(await list("name eq 'it''s' and context/clusterid eq 'c-1'")).toEqual(["it's"]);
    expect(await list("context/namespace eq 'shop'", "_k8sname eq 'a'")).toEqual(['a']);
    expect(await list("context/namespace eq 'other'")).toEqual([]);
    expect(
      await names(`/v1/service_offerings${query("catalog_name eq 'sample' and data_center eq ''")}`),
    ).toEqual(['offering-sample']);
  });

  test.each([
    'name eq a',
    "name eq 'a",
    "name like 'a'",
    "secret eq 'a'",
    "name eq 'a' or name eq 'b'",
    "name in 'a'",
  ])('with the query %j is refused', async (text) => {
    expect(await send('GET', `/v1/service_instances${query(text)}`)).toMatchObject({ status: 400 });
  });

  test('has pages that are joined by tokens', async () => {
    simulator.settings.pageSize = 2;
    for (const name of ['a', 'b', 'c', 'd', 'e']) await make(name);
    const seen: string[] = [];
    let token = '';
    do {
      const { json } = await send('GET', `/v1/service_instances${token === '' ? '' : `?token=${token}`}`);
      seen.push(json.items.map(({ name }: { name: string }) => name).join(''));
      expect(json.num_items).toBe(5);
      token = json.token ?? '';
    } while (token !== '');
    expect(seen).toEqual(['ab', 'cd', 'e']);
  });

  test('has last operations only if they are asked for', async () => {
    await make('a');
    const [plain] = (await send('GET', '/v1/service_instances')).json.items;
    const [attached] = (await send('GET', '/v1/service_instances?attach_last_operations=true')).json.items;
    expect(plain).not.toHaveProperty('last_operation');
    expect(attached).toMatchObject({ last_operation: { type: 'create', state: 'succeeded' } });
  });
});

describe('a limit of requests', () => {
  test.each([
    ['seconds', /^\d+$/],
    ['http-date', /^[A-Z][a-z]{2}, .* GMT$/],
    ['time', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /],
    ['none', undefined],
  ] as const)('is for each client, and Retry-After has the form %s', async (retryAfter, form) => {
    simulator.settings.rateLimit = { requests: 0, windowMs: 60_000, retryAfter };
    const refused = await send('GET', '/v1/service_instances');
    expect(refused).toMatchObject({ status: 429, json: { error: 'TooManyRequests' } });
    if (form === undefined) expect(refused.headers['retry-after']).toBeUndefined();
    else expect(refused.headers['retry-after']).toMatch(form);
    expect(simulator.violations()).toEqual([]);
  });

  test('lets so many requests pass', async () => {
    simulator.settings.rateLimit = { requests: 2, windowMs: 60_000 };
    const statuses: number[] = [];
    // The windows of the tests above are those of another client.
    for (let i = 0; i < 3; i++) {
      statuses.push((await send('GET', '/v1/service_instances', undefined, 'subaccount-3')).status);
    }
    expect(statuses).toEqual([200, 200, 429]);
  });
});

test('[B147] a call without a valid token is a 401', async () => {
  for (const headers of [{}, { authorization: 'Bearer x' }, { authorization: 'Basic eDp5' }]) {
    const { status } = await call(`${simulator.url}/v1/service_plans`, simulator.caCertificate, { headers });
    expect(status).toBe(401);
  }
  simulator.settings.tokenLifetimeSeconds = 0.001;
  expect(await send('GET', '/v1/service_plans')).toMatchObject({ status: 401 });
});

test('a client with a certificate must present it', async () => {
  const { x509 } = await simulator.credentials();
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: x509.clientid ?? '' });
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: body.toString(),
  };
  const { status } = await call(`${simulator.url}/oauth/token`, simulator.caCertificate, init);
  expect(status).toBe(401);
});

test('all objects of a cluster are deleted by the call for lost clusters', async () => {
  await bind('k', await make('a'));
  expect(await send('DELETE', '/v1/platforms/other/clusters/c-1')).toMatchObject({ status: 404 });
  expect(await send('DELETE', '/v1/platforms/platform-subaccount-1/clusters/c-2')).toMatchObject({
    status: 404,
  });
  const answer = await send('DELETE', '/v1/platforms/platform-subaccount-1/clusters/c-1');
  expect(answer.status).toBe(202);
  expect(answer.headers.location).toBeDefined();
  expect([...simulator.store.instances(), ...simulator.store.bindings()]).toEqual([]);
});

test('records have what the operator sent, but neither secret nor token', async () => {
  const { secret } = await simulator.credentials();
  await make('a');
  const records = JSON.stringify(simulator.requests());
  expect(records).toContain('plan-standard');
  expect(records).not.toContain(secret.clientsecret);
  expect(records).not.toContain('Bearer');
});
