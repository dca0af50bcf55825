import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { FaultRule, ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
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

const query = { name: newInstance.name, identity };
const operationPath = /^\/v1\/service_instances\/[^/]+\/operations\/[^/]+$/;

function answer(route: NonNullable<FaultRule['on']['route']>, status: number, body?: unknown, headers = {}) {
  simulator.faults.add({ on: { route, first: 1 }, do: { kind: 'status', status, body, headers } });
}

async function created(): Promise<string> {
  const [instance] = simulator.store.instances();
  if (instance !== undefined) return instance.id;
  const client = await connect();
  const change = await client.createInstance(newInstance, callOptions());
  if (change.state !== 'done') throw new Error('the instance is not provisioned yet');
  return change.resource.id;
}

describe.each(['secret', 'x509', 'both'] as const)('[B141] with credentials in the form %s', (form) => {
  test('[B130] [B136] [B137] [B138] an instance is created, read, updated, shared, unshared, deleted and then gone', async () => {
    const client = await connect({}, form);
    const change = await client.createInstance(newInstance, callOptions());
    const { id } = simulator.store.instances()[0] ?? { id: '' };
    const expected = {
      id,
      name: 'orders-db',
      servicePlanID: 'plan-standard',
      subaccountID: 'subaccount-1',
      ready: true,
      usable: true,
      shared: false,
    };
    expect(change).toMatchObject({ state: 'done', resource: expected });
    await expect(client.getInstance(id, callOptions())).resolves.toMatchObject(expected);
    const update = { name: 'renamed', servicePlanID: 'plan-async', parameters: { size: 3 } };
    simulator.modes.add({ on: { operation: 'update' }, mode: {} });
    await expect(client.updateInstance(id, update, callOptions())).resolves.toMatchObject({
      state: 'done',
      resource: { id, name: 'renamed', servicePlanID: 'plan-async' },
    });
    await client.shareInstance(id, true, callOptions());
    await expect(client.getInstance(id, callOptions())).resolves.toMatchObject({ shared: true });
    await client.shareInstance(id, false, callOptions());
    expect(simulator.store.instances()).toMatchObject([{ id, shared: false, parameters: { size: 3 } }]);
    simulator.modes.add({ on: { operation: 'delete' }, mode: {} });
    await expect(client.deleteInstance(id, callOptions())).resolves.toEqual({ state: 'gone' });
    await expect(client.deleteInstance(id, callOptions())).resolves.toEqual({ state: 'absent' });
    await expect(client.getInstance(id, callOptions())).resolves.toBeUndefined();
    expect(simulator.violations()).toEqual([]);
    expect(simulator.requests({ route: 'grantToken' })).toHaveLength(1);
  });
});

test('a create sends exactly the fields of the contract, and the headers of the operator', async () => {
  const client = await connect();
  const userInfo = { username: 'user1', uid: '1', groups: [], extra: {} };
  await client.createInstance(newInstance, { ...callOptions(), userInfo });
  expect(simulator.requests({ route: 'createInstance' })).toMatchObject([
    {
      body: {
        name: 'orders-db',
        service_plan_id: 'plan-standard',
        parameters: { size: 2 },
        labels: { _namespace: ['shop'], _k8sname: ['orders'], _clusterid: ['cluster-1'] },
        ready: false,
        usable: false,
      },
      headers: {
        'content-type': 'application/json',
        'client-name': 'sap-btp-service-operator',
        'client-version': '1.2.3',
        'x-correlationid': 'c-1',
        'x-originating-identity': '{"username":"user1","uid":"1"}',
      },
    },
  ]);
});

test('an update sends no labels, and sharing nothing but the flag', async () => {
  const client = await connect();
  const id = await created();
  await client.updateInstance(id, { name: 'orders-db', servicePlanID: 'plan-standard' }, callOptions());
  await client.shareInstance(id, true, callOptions());
  const bodies = simulator.requests({ route: 'updateInstance' }).map(({ body }) => body);
  expect(bodies).toEqual([
    { name: 'orders-db', service_plan_id: 'plan-standard', ready: false, usable: false },
    { shared: true },
  ]);
});

test('parameters of JSON.rawJSON are sent as numbers, not as objects', async () => {
  const client = await connect();
  const raw: unknown = Reflect.get(JSON, 'rawJSON');
  if (typeof raw !== 'function') throw new Error('this Node has no JSON.rawJSON');
  await client.createInstance({ ...newInstance, parameters: { big: raw('1e30') } }, callOptions());
  expect(simulator.store.instances()).toMatchObject([{ parameters: { big: 1e30 } }]);
});

describe('an asynchronous change', () => {
  test('[B133] answers 202: the ID is taken from Location, and the operation is polled to its end', async () => {
    const client = await connect();
    answer('createInstance', 202, {}, { location: '/v1/service_instances/12345/operations/op-1' });
    await expect(client.createInstance(newInstance, callOptions())).resolves.toEqual({
      state: 'in-progress',
      id: '12345',
      operationURL: '/v1/service_instances/12345/operations/op-1',
    });
    const change = await client.createInstance(
      { ...newInstance, servicePlanID: 'plan-async' },
      callOptions(),
    );
    if (change.state !== 'in-progress') throw new Error('the change is synchronous');
    expect(change.operationURL).toMatch(operationPath);
    const poll = () => client.getOperation(change.operationURL, callOptions());
    const progress = { type: 'create', state: 'in progress', description: 'in progress' };
    expect(await poll()).toMatchObject(progress);
    expect(await poll()).toMatchObject(progress);
    expect(await poll()).toMatchObject({ type: 'create', state: 'succeeded' });
    await expect(client.getInstance(change.id, callOptions())).resolves.toMatchObject({ ready: true });
  });

  test('that fails has the text for users', async () => {
    const client = await connect();
    const errors = { description: 'broker-failure', code: 7 };
    simulator.modes.add({ on: {}, mode: { async: { polls: 0, outcome: 'failed', errors } } });
    const change = await client.createInstance(newInstance, callOptions());
    if (change.state !== 'in-progress') throw new Error('the change is synchronous');
    await expect(client.getOperation(change.operationURL, callOptions())).resolves.toMatchObject({
      state: 'failed',
      errorDescription: 'broker-failure',
      errors: JSON.stringify(errors),
    });
  });

  test('[B136] [B137] of an update or a deletion answers 202 as well', async () => {
    const client = await connect();
    const id = await created();
    simulator.modes.add({ on: {}, mode: { async: { polls: 0 } } });
    const update = await client.updateInstance(
      id,
      { name: 'orders-db', servicePlanID: 'plan-standard' },
      callOptions(),
    );
    expect(update).toEqual({ state: 'in-progress', id, operationURL: expect.stringMatching(operationPath) });
    if (update.state !== 'in-progress') return;
    await client.getOperation(update.operationURL, callOptions());
    const deletion = await client.deleteInstance(id, callOptions());
    expect(deletion).toEqual({
      state: 'in-progress',
      id,
      operationURL: expect.stringMatching(operationPath),
    });
  });

  test('whose Location has the secret of the client is an error that does not quote it', async () => {
    const client = await connect();
    const { secret } = await simulator.credentials();
    answer('createInstance', 202, {}, { location: `/login?client=${secret.clientsecret}` });
    const error = await thrownBy(() => client.createInstance(newInstance, callOptions()));
    expect(error.message).toContain('URL: "/login?client=[redacted]');
  });

  test.each([
    ['absent', {}],
    ['of another collection', { location: '/v1/service_bindings/1/operations/2' }],
    ['of another host', { location: 'https://example.com/v1/service_instances/1/operations/2' }],
    ['without an ID', { location: '/v1/service_instances//operations/2' }],
  ])('whose Location is %s is an error that names it', async (_reason, headers) => {
    const client = await connect();
    answer('createInstance', 202, {}, headers);
    const error = await thrownBy(() => client.createInstance(newInstance, callOptions()));
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toContain(
      'failed to extract the service instance ID from the async operation URL: ',
    );
  });
});

describe('the status of an operation', () => {
  const url = '/v1/service_instances/i/operations/o';

  test('[B145] that does not exist any more is an error, also of a deletion: it says nothing about the instance', async () => {
    const client = await connect();
    const error = await thrownBy(() => client.getOperation(url, callOptions()));
    expect(error).toMatchObject({ class: 'not-found', status: 404 });
  });

  test('with an unknown state is an error, with an unknown type it has none', async () => {
    const client = await connect();
    answer('getInstanceOperation', 200, { state: 'succeeded', type: 'other' });
    await expect(client.getOperation(url, callOptions())).resolves.toEqual({ state: 'succeeded' });
    answer('getInstanceOperation', 200, { state: 'thinking' });
    const error = await thrownBy(() => client.getOperation(url, callOptions()));
    expect(error.message).toContain('the state of the operation is unknown');
  });

  test.each(['/v1/platforms/p', 'https://example.com/v1/service_instances/i/operations/o', '', '/v1/x/../y'])(
    'is not asked for at %j',
    async (other) => {
      const client = await connect();
      const error = await thrownBy(() => client.getOperation(other, callOptions()));
      expect(error.message).toMatch(/^cannot get the operation: ".*" is no operation URL$/);
      expect(simulator.requests()).toEqual([]);
    },
  );
});

describe('a recovery', () => {
  test('[B128] finds the instance by name and identity, with its last operation', async () => {
    const client = await connect();
    expect(await client.findInstances(query, callOptions())).toEqual([]);
    const id = await created();
    expect(await client.findInstances(query, callOptions())).toMatchObject([
      { id, lastOperation: { type: 'create', state: 'succeeded' } },
    ]);
    for (const other of [
      { ...query, name: 'other' },
      { ...query, identity: { ...identity, clusterID: 'other' } },
      { ...query, identity: { ...identity, namespace: 'other' } },
      { ...query, identity: { ...identity, name: 'other' } },
    ]) {
      expect(await client.findInstances(other, callOptions())).toEqual([]);
    }
  });

  test('asks with three field clauses in order and one label clause', async () => {
    const client = await connect();
    await client.findInstances(query, callOptions());
    expect(simulator.requests({ route: 'listInstances' })).toMatchObject([
      {
        query: {
          fieldQuery:
            "name eq 'orders-db' and context/clusterid eq 'cluster-1' and context/namespace eq 'shop'",
          labelQuery: "_k8sname eq 'orders'",
          attach_last_operations: 'true',
        },
      },
    ]);
  });

  test('escapes quotes: a value cannot add a clause', async () => {
    const client = await connect();
    await created();
    const name = "x' and name eq 'orders-db";
    expect(await client.findInstances({ ...query, name }, callOptions())).toEqual([]);
    await client.createInstance({ ...newInstance, name }, callOptions());
    expect(await client.findInstances({ ...query, name }, callOptions())).toMatchObject([{ name }]);
    expect(simulator.violations()).toEqual([]);
  });

  test('reads all pages, with one token in each request', async () => {
    const client = await connect();
    const page = (id: string, token?: string) =>
      ({ kind: 'status', status: 200, body: { items: [{ id, name: 'n' }], token } }) as const;
    for (const [skip, answer] of [page('1', 'a'), page('2', 'b'), page('3')].entries()) {
      simulator.faults.add({ on: { route: 'listInstances', skip, first: 1 }, do: answer });
    }
    const found = await client.findInstances(query, callOptions());
    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
    expect(simulator.requests({ route: 'listInstances' }).map(({ query }) => query.token)).toEqual([
      undefined,
      'a',
      'b',
    ]);
  });

  test('ends with an error if the list repeats a page', async () => {
    const client = await connect();
    const body = { items: [], token: 'again' };
    simulator.faults.add({ on: { route: 'listInstances' }, do: { kind: 'status', status: 200, body } });
    const error = await thrownBy(() => client.findInstances(query, callOptions()));
    expect(error.message).toBe('cannot list service instances named orders-db: the list repeats a page');
    expect(simulator.requests({ route: 'listInstances' })).toHaveLength(2);
  });
});

describe('[B129] [B130] [B135] [B136] another success than the contract has is an error with its status', () => {
  test.each([
    ['201 for a list', 'listInstances', 201],
    ['201 for a read', 'getInstance', 201],
    ['200 for a create', 'createInstance', 200],
    ['201 for a deletion', 'deleteInstance', 201],
    ['201 for an update', 'updateInstance', 201],
  ] as const)('%s', async (_title, route, status) => {
    const client = await connect();
    answer(route, status, { id: 'i', name: 'n', items: [] });
    const call = {
      listInstances: () => client.findInstances(query, callOptions()),
      getInstance: () => client.getInstance('i', callOptions()),
      createInstance: () => client.createInstance(newInstance, callOptions()),
      deleteInstance: () => client.deleteInstance('i', callOptions()),
      updateInstance: () =>
        client.updateInstance('i', { name: 'n', servicePlanID: 'plan-standard' }, callOptions()),
    }[route];
    expect(await thrownBy(call)).toMatchObject({ status, class: 'non-transient' });
  });
});

describe('[B134] a body that does not match the contract is an error that names the field', () => {
  test.each([
    ['an ID that is no string', { id: 7, name: 'n' }, 'id is a number, not a string'],
    ['no ID', { name: 'n' }, 'id is missing'],
    ['a flag that is no boolean', { id: 'i', ready: 'yes' }, 'ready is a string, not a boolean'],
    ['labels that are no lists', { id: 'i', labels: { a: 'b' } }, 'labels.a is a string, not an array'],
    ['an array', [], 'the body is an array, not an object'],
    ['no JSON', 'oops', 'the body is not JSON'],
    ['nothing', undefined, 'the body is empty'],
  ])('%s', async (_reason, body, says) => {
    const client = await connect();
    answer('createInstance', 201, body);
    const error = await thrownBy(() => client.createInstance(newInstance, callOptions()));
    expect(error).toMatchObject({ kind: 'transient' });
    expect(error.message).toMatch(/^cannot create service instance orders-db: POST \/v1\/service_instances /);
    expect(error.message).toContain(says);
  });

  test('an ID of a subaccount that is too long for one is left out', async () => {
    const client = await connect();
    const labels = { subaccount_id: ['s'.repeat(513)] };
    answer('createInstance', 201, { id: 'i', name: 'n', labels });
    const change = await client.createInstance(newInstance, callOptions());
    expect(change).toMatchObject({ state: 'done', resource: { id: 'i' } });
    expect(change).not.toHaveProperty('resource.subaccountID');
  });

  test('a body of several megabytes is not read to its end', async () => {
    const client = await connect();
    simulator.faults.add({ on: { route: 'getInstance' }, do: { kind: 'oversized', bytes: 5_000_000 } });
    const error = await thrownBy(() => client.getInstance('i', callOptions()));
    expect(error.message).toContain('longer than 2097152 bytes');
  });
});

test.each(['', '.', '..', '\ud800', 'x'.repeat(600)])(
  'an ID that would change the path (%j) is never sent',
  async (id) => {
    const client = await connect();
    for (const call of [
      () => client.getInstance(id, callOptions()),
      () => client.deleteInstance(id, callOptions()),
      () => client.shareInstance(id, true, callOptions()),
      () => client.deleteBinding(id, callOptions()),
    ]) {
      expect(await thrownBy(call)).toMatchObject({ kind: 'terminal' });
    }
    expect(simulator.requests()).toEqual([]);
  },
);
