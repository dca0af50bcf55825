import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { ServiceManagerClient } from '../../../internal/systems/btp/service-manager/index.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import {
  callOptions,
  connectionsTo,
  identity,
  newBinding,
  newInstance,
  startSimulator,
  thrownBy,
} from './set-up.ts';

let simulator: ServiceManagerSimulator;
let client: ServiceManagerClient;
let instanceID: string;
const { connect, closeAll } = connectionsTo(() => simulator);
beforeAll(async () => {
  simulator = await startSimulator();
});
beforeEach(async () => {
  client = await connect();
  const change = await client.createInstance(newInstance, callOptions());
  instanceID = change.state === 'done' ? change.resource.id : '';
});
afterEach(async () => {
  await closeAll();
  simulator.reset();
});
afterAll(() => simulator.stop());

const query = { name: 'orders-key', identity };
const rename = { name: 'orders-key-old', kubernetesName: 'orders-old' };

async function bind(): Promise<string> {
  const change = await client.createBinding(newBinding(instanceID), callOptions());
  if (change.state !== 'done') throw new Error('the binding is not ready yet');
  return change.resource.id;
}

test('[B139] [B140] [B142] a binding is created, read, found, deleted and then gone', async () => {
  expect(await client.findBindings(query, callOptions())).toEqual([]);
  const id = await bind();
  const expected = { id, name: 'orders-key', serviceInstanceID: instanceID, ready: true };
  const found = { ...expected, subaccountID: 'subaccount-1' };
  await expect(client.getBinding(id, callOptions())).resolves.toMatchObject(found);
  expect(await client.findBindings(query, callOptions())).toMatchObject([
    {
      ...expected,
      lastOperation: { state: 'succeeded' },
      credentials: expect.stringContaining('user-orders-key'),
    },
  ]);
  await expect(client.deleteBinding(id, callOptions())).resolves.toEqual({ state: 'gone' });
  await expect(client.deleteBinding(id, callOptions())).resolves.toEqual({ state: 'absent' });
  await expect(client.getBinding(id, callOptions())).resolves.toBeUndefined();
  expect(simulator.violations()).toEqual([]);
});

test('[B140] [B142] an asynchronous bind and unbind name the operation', async () => {
  simulator.modes.add({ on: { kind: 'binding' }, mode: { async: { polls: 0 } } });
  const change = await client.createBinding(newBinding(instanceID), callOptions());
  if (change.state !== 'in-progress') throw new Error('the bind is synchronous');
  await expect(client.getBinding(change.id, callOptions())).resolves.not.toHaveProperty('credentials');
  await expect(client.getOperation(change.operationURL, callOptions())).resolves.toMatchObject({
    type: 'create',
    state: 'succeeded',
  });
  const deletion = await client.deleteBinding(change.id, callOptions());
  expect(deletion).toMatchObject({ state: 'in-progress', id: change.id });
});

test('a Location of another collection is an error', async () => {
  const headers = { location: '/v1/service_instances/1/operations/2' };
  simulator.faults.add({
    on: { route: 'createBinding' },
    do: { kind: 'status', status: 202, body: {}, headers },
  });
  const error = await thrownBy(() => client.createBinding(newBinding(instanceID), callOptions()));
  expect(error.message).toContain('failed to extract smBinding ID from operation URL: ');
});

describe('[B140] [B142] a bind or unbind that is answered otherwise is an error', () => {
  const json = { 'content-type': 'application/json' };
  test.each([
    ['createBinding', 200, { id: 'b', name: 'n' }, { status: 200 }],
    ['createBinding', 201, { id: 7 }, { kind: 'transient' }],
    ['createBinding', 400, { description: 'too much' }, { status: 400, text: 'too much' }],
    ['createBinding', 400, '{"description"', { status: 400, text: '' }],
    ['deleteBinding', 201, {}, { status: 201 }],
    ['getBinding', 201, { id: 'b', name: 'n' }, { status: 201 }],
  ] as const)('%s, %d %j', async (route, status, body, expected) => {
    simulator.faults.add({ on: { route }, do: { kind: 'status', status, body, headers: json } });
    const call = {
      createBinding: () => client.createBinding(newBinding(instanceID), callOptions()),
      deleteBinding: () => client.deleteBinding('b', callOptions()),
      getBinding: () => client.getBinding('b', callOptions()),
    }[route];
    expect(await thrownBy(call)).toMatchObject(expected);
  });
});

describe('credentials', () => {
  test.each(['{ "b": 1.50,\n "a": "\\u0041" }', '"text"', '[1, {"credentials": 2}]', 'true'])(
    'are the bytes as received: %s',
    async (text) => {
      const body = `{"credentials_not": 1, "id": "b", "name": "n", "credentials" : ${text} , "ready": true}`;
      const headers = { 'content-type': 'application/json' };
      simulator.faults.add({
        on: { route: 'getBinding' },
        do: { kind: 'status', status: 200, body, headers },
      });
      const items = `{"items": [{"id": "a", "name": "n"}, ${body}]}`;
      simulator.faults.add({
        on: { route: 'listBindings' },
        do: { kind: 'status', status: 200, body: items, headers },
      });
      expect((await client.getBinding('b', callOptions()))?.credentials).toBe(text);
      const found = await client.findBindings(query, callOptions());
      expect(found.map(({ credentials }) => credentials)).toEqual([undefined, text]);
    },
  );

  test('that are null are absent', async () => {
    simulator.modes.add({ on: { kind: 'binding' }, mode: { credentials: null } });
    await expect(client.getBinding(await bind(), callOptions())).resolves.not.toHaveProperty('credentials');
  });

  test('are not printed', async () => {
    const binding = await client.getBinding(await bind(), callOptions());
    expect(binding?.credentials).toContain('password');
    expect(JSON.stringify({ binding }) + inspect(binding)).not.toContain('password');
    expect(JSON.stringify({ binding })).toContain('orders-key');
  });
});

describe('a rename', () => {
  test('[B143] takes two requests without a user, and returns the binding', async () => {
    const id = await bind();
    const userInfo = { username: 'user1' };
    const renamed = await client.renameBinding(id, rename, { ...callOptions(), userInfo });
    expect(renamed).toMatchObject({ id, name: 'orders-key-old', labels: { _k8sname: ['orders-old'] } });
    const requests = simulator.requests({ route: 'updateBinding' });
    expect(requests.map(({ body }) => body)).toEqual([
      { name: 'orders-key-old', labels: [{ op: 'remove', key: '_k8sname', values: null }] },
      { labels: [{ op: 'add', key: '_k8sname', values: ['orders-old'] }] },
    ]);
    expect(requests.some(({ headers }) => headers?.['x-originating-identity'])).toBe(false);
  });

  test('[B143] [B12.8] that failed between its requests is completed by the next call', async () => {
    const id = await bind();
    const lost = { kind: 'status', status: 500, body: { description: 'lost' } } as const;
    simulator.faults.add({ on: { route: 'updateBinding', skip: 1, first: 1 }, do: lost });
    expect(await thrownBy(() => client.renameBinding(id, rename, callOptions()))).toMatchObject({
      text: 'lost',
    });
    await client.renameBinding(id, rename, callOptions());
    expect(simulator.store.bindings()).toMatchObject([
      { name: 'orders-key-old', labels: { _k8sname: ['orders-old'] } },
    ]);
  });
});
