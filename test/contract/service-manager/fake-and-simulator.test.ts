/**
 * The fake of the unit tests behaves as the simulator does behind the real client: one table of cases runs against both. The
 * simulator is the reference. Texts of errors may differ.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FencedError } from '../../../internal/base/concurrency/fence.ts';
import { ThrottledError } from '../../../internal/base/errors/errors.ts';
import {
  type Change,
  type Deletion,
  PlanSelectionError,
  type ServiceManagerClient,
  ServiceManagerError,
} from '../../../internal/clients/service-manager/index.ts';
import type { Call } from '../../../internal/controllers/btp/fixtures/fake-service-manager/fake-calls.fixture.ts';
import type { FakeOperations } from '../../../internal/controllers/btp/fixtures/fake-service-manager/fake-operations.fixture.ts';
import { createFakeServiceManager } from '../../../internal/controllers/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import {
  lostResponse,
  refusal,
  throttled,
} from '../../../internal/controllers/btp/fixtures/fake-service-manager/responses.fixture.ts';
import { LostResponseError } from '../../../internal/http/index.ts';
import {
  type ServiceManagerSimulator,
  startServiceManagerSimulator,
} from '../../simulators/service-manager/simulator.ts';
import { callOptions, connectionsTo, thrownBy } from './set-up.ts';

/** A Service Manager under test, empty at first. */
interface Tested {
  readonly client: ServiceManagerClient;
  /** Changes of the type become operations. */
  readonly async: FakeOperations['async'];
  /** The next call has this response. */
  answer(call: Call, response: 'throttled' | 'failed' | 'lost'): void;
}

const catalog = {
  offerings: [{ id: 'offering-1', catalog_name: 'xsuaa', tags: ['test'] }],
  plans: [
    { id: 'plan-1', catalog_name: 'application', service_offering_id: 'offering-1' },
    { id: 'plan-2', catalog_name: 'broker', service_offering_id: 'offering-1' },
  ],
};
const routes = {
  create: 'createInstance',
  get: 'getInstance',
  find: 'listInstances',
  update: 'updateInstance',
  delete: 'deleteInstance',
  bind: 'createBinding',
  getBinding: 'getBinding',
  unbind: 'deleteBinding',
  operation: 'getInstanceOperation',
} as const;

let simulator: ServiceManagerSimulator;
const { connect, closeAll } = connectionsTo(() => simulator);
beforeAll(async () => {
  simulator = await startServiceManagerSimulator({ catalog });
});
afterAll(() => simulator.stop());

async function simulated(): Promise<Tested> {
  await closeAll();
  simulator.reset();
  return {
    client: await connect(),
    async: (operation, { polls = 1, description = '', state = 'succeeded', errorDescription }) =>
      void simulator.modes.add({
        on: { operation },
        mode: { async: { polls, description, outcome: state, errors: { description: errorDescription } } },
      }),
    answer: (call, response) => {
      if (!(call in routes)) throw new Error(`no route of ${call}`);
      const on = { route: routes[call as keyof typeof routes], first: 1 };
      const body = { error: 'InternalServerError', description: 'out of order' };
      if (response === 'lost') simulator.faults.add({ on, do: { kind: 'reset', when: 'after' } });
      else if (response === 'failed') simulator.faults.add({ on, do: { kind: 'status', status: 500, body } });
      else
        simulator.faults.add({
          on,
          do: { kind: 'status', status: 429, body, headers: { 'retry-after': '5' } },
        });
    },
  };
}

async function faked(): Promise<Tested> {
  const { client, async, fail } = createFakeServiceManager();
  const errors = { lost: lostResponse(), failed: refusal(500, 'out of order'), throttled: throttled(5000) };
  return { client, async, answer: (call, response) => fail(call, [errors[response]]) };
}

const identity = { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' };
const instance = { name: 'orders-db', servicePlanID: 'plan-1', identity };
const labels = {
  _clusterid: ['cluster-1'],
  _namespace: ['shop'],
  _k8sname: ['orders'],
  subaccount_id: ['subaccount-1'],
};
const { signal, fence } = callOptions();
const options = { signal, fence };

function doneOf<T>(change: Change<T>): T {
  if (change.state !== 'done') throw new Error('the change is asynchronous');
  return change.resource;
}
function operationOf(change: Change<unknown> | Deletion) {
  if (change.state !== 'in-progress') throw new Error('the change is synchronous');
  return change;
}

describe.each([
  ['simulator', simulated],
  ['fake', faked],
])('%s:', (_name, start) => {
  let sm: Tested;
  let client: ServiceManagerClient;
  beforeEach(async () => {
    sm = await start();
    ({ client } = sm);
  });

  const createInstance = async (name = instance.name) =>
    doneOf(await client.createInstance({ ...instance, name }, options)).id;
  const createBinding = async (serviceInstanceID: string, name = 'key') =>
    doneOf(await client.createBinding({ name, serviceInstanceID, identity }, options));
  const poll = (url: string, type?: 'create' | 'update' | 'delete') =>
    client.getOperation(url, { signal, type });
  const ended = async (url: string) => {
    for (let operation = await poll(url); ; operation = await poll(url))
      if (operation.state !== 'in progress') return operation;
  };
  const errorOf = async (action: () => Promise<unknown>) => {
    const error = await thrownBy(action);
    if (!(error instanceof ServiceManagerError)) throw error;
    const { status, kind, isEffectUnknown } = error;
    return { class: error.class, status, kind, isEffectUnknown };
  };
  const notFound = { class: 'not-found', status: 404, kind: 'not-found', isEffectUnknown: false };
  const conflict = { class: 'conflict', status: 409, kind: 'transient', isEffectUnknown: false };
  const busy = { class: 'concurrent-operation', status: 422, kind: 'transient', isEffectUnknown: false };

  describe('plans', () => {
    const selection = { instanceName: 'orders-db', offeringName: 'xsuaa', planName: 'application' };
    const selected = {
      plan: { id: 'plan-1', catalogName: 'application', serviceOfferingID: 'offering-1' },
      offering: { id: 'offering-1', catalogName: 'xsuaa', tags: ['test'] },
    };

    test('lists of a cluster have its instances and bindings, without credentials', async () => {
      const ids = [await createInstance('a'), await createInstance('b')];
      const bindingID = doneOf(
        await client.createBinding({ name: 'key', serviceInstanceID: ids[0] ?? '', identity }, options),
      ).id;
      const foreign = { ...identity, clusterID: 'other' };
      doneOf(await client.createInstance({ ...instance, name: 'c', identity: foreign }, options));
      const found: string[] = [];
      await client.eachInstance('cluster-1', (items) => found.push(...items.map(({ id }) => id)), { signal });
      expect(found.sort()).toEqual([...ids].sort());
      const bindings: object[] = [];
      await client.eachBinding('cluster-1', (items) => bindings.push(...items), { signal });
      expect(bindings).toMatchObject([{ id: bindingID, serviceInstanceID: ids[0] }]);
      expect(bindings[0]).not.toHaveProperty('credentials');
    });

    test('are selected by names, and found by ID', async () => {
      expect(await client.selectPlan(selection, options)).toMatchObject(selected);
      expect(await client.selectPlan({ ...selection, planID: 'plan-1' }, options)).toMatchObject(selected);
      expect(await client.planByID('plan-1', options)).toMatchObject(selected);
      expect(await client.planByID('plan-9', options)).toBeUndefined();
    });

    test.each([
      ['missing-names', { planName: '' }],
      ['unknown-offering', { offeringName: 'other' }],
      ['unknown-offering', { dataCenter: 'eu10' }],
      ['unknown-plan', { planName: 'other' }],
      ['wrong-plan-id', { planID: 'plan-2' }],
    ])('refuse a selection: %s %j', async (reason, change) => {
      const error = await thrownBy(() => client.selectPlan({ ...selection, ...change }, options));
      expect(error).toBeInstanceOf(PlanSelectionError);
      expect(error).toMatchObject({ reason, kind: 'transient' });
    });
  });

  describe('an instance', () => {
    test('is created, read, found, updated, shared and deleted', async () => {
      const created = doneOf(await client.createInstance({ ...instance, parameters: { a: 1 } }, options));
      const { id } = created;
      const shown = {
        id,
        name: 'orders-db',
        servicePlanID: 'plan-1',
        subaccountID: 'subaccount-1',
        labels,
        ready: true,
        usable: true,
        shared: false,
      };
      const lastOperation = { id: expect.any(String), type: 'create', state: 'succeeded' };
      expect({ ...created, platformID: undefined }).toEqual(shown);
      const found = { ...(await client.getInstance(id, options)), platformID: undefined };
      expect(found).toEqual({ ...shown, lastOperation });
      const query = { name: 'orders-db', identity };
      expect(await client.findInstances(query, options)).toMatchObject([{ ...shown, lastOperation }]);
      const update = { name: 'renamed', servicePlanID: 'plan-2' };
      const updated = doneOf(await client.updateInstance(id, update, options));
      expect(updated).toMatchObject({ ...shown, ...update });
      await client.shareInstance(id, true, options);
      expect(await client.getInstance(id, options)).toMatchObject({
        shared: true,
        lastOperation: { type: 'update', state: 'succeeded' },
      });
      await client.shareInstance(id, false, options);
      expect(await client.getInstance(id, options)).toMatchObject({ shared: false });
      expect(await client.deleteInstance(id, options)).toEqual({ state: 'gone' });
      expect(await client.deleteInstance(id, options)).toEqual({ state: 'gone' });
      expect(await client.getInstance(id, options)).toBeUndefined();
    });

    test('is found only by its whole identity', async () => {
      const id = await createInstance();
      const find = async (name: string, change: Partial<typeof identity> = {}) => {
        const found = await client.findInstances({ name, identity: { ...identity, ...change } }, options);
        return found.map((each) => each.id);
      };
      expect(await find('orders-db')).toEqual([id]);
      expect(await find('other')).toEqual([]);
      for (const change of [{ clusterID: 'other' }, { namespace: 'other' }, { name: 'other' }])
        expect(await find('orders-db', change)).toEqual([]);
    });

    test('has a name of its own', async () => {
      const id = await createInstance();
      const other = { ...instance, identity: { ...identity, name: 'other' } };
      expect(await errorOf(() => client.createInstance(other, options))).toEqual(conflict);
      await createInstance('second');
      const update = { name: 'second', servicePlanID: 'plan-1' };
      expect(await errorOf(() => client.updateInstance(id, update, options))).toEqual(conflict);
    });

    test('needs a plan, and to exist', async () => {
      const unplanned = { ...instance, servicePlanID: 'plan-9' };
      expect(await errorOf(() => client.createInstance(unplanned, options))).toEqual(notFound);
      const update = { name: 'orders-db', servicePlanID: 'plan-1' };
      expect(await errorOf(() => client.updateInstance('none', update, options))).toEqual(notFound);
      expect(await errorOf(() => client.shareInstance('none', true, options))).toEqual(notFound);
      const id = await createInstance();
      const replanned = { ...update, servicePlanID: 'plan-9' };
      expect(await errorOf(() => client.updateInstance(id, replanned, options))).toEqual(notFound);
    });

    test('with bindings cannot be deleted', async () => {
      const id = await createInstance();
      const { id: bindingID } = await createBinding(id);
      expect(await errorOf(() => client.deleteInstance(id, options))).toMatchObject({
        class: 'non-transient',
        status: 400,
      });
      await client.deleteBinding(bindingID, options);
      expect(await client.deleteInstance(id, options)).toEqual({ state: 'gone' });
    });
  });

  describe('a binding', () => {
    test('is created, read, found, renamed and deleted', async () => {
      const serviceInstanceID = await createInstance();
      const created = await createBinding(serviceInstanceID);
      const { id, credentials = '' } = created;
      const shown = { id, name: 'key', serviceInstanceID, subaccountID: 'subaccount-1', labels, ready: true };
      expect({ ...created }).toEqual({ ...shown, credentials: expect.any(String) });
      expect(Object.keys(JSON.parse(credentials)).length).toBeGreaterThan(0);
      const lastOperation = { id: expect.any(String), type: 'create', state: 'succeeded' };
      expect({ ...(await client.getBinding(id, options)) }).toEqual({ ...shown, credentials, lastOperation });
      const find = (name: string, kubernetesName = 'orders') =>
        client.findBindings({ name, identity: { ...identity, name: kubernetesName } }, options);
      expect((await find('key')).map((each) => ({ ...each }))).toEqual([
        { ...shown, credentials, lastOperation },
      ]);
      expect(await find('key', 'other')).toEqual([]);
      const renamed = await client.renameBinding(id, { name: 'backup', kubernetesName: 'other' }, options);
      const renamedLabels = { ...labels, _k8sname: ['other'] };
      expect(renamed).toMatchObject({ id, name: 'backup', labels: renamedLabels });
      expect(await find('key')).toEqual([]);
      expect(await find('backup', 'other')).toMatchObject([{ id, name: 'backup', labels: renamedLabels }]);
      expect(await client.deleteBinding(id, options)).toEqual({ state: 'gone' });
      expect(await client.deleteBinding(id, options)).toEqual({ state: 'gone' });
      expect(await client.getBinding(id, options)).toBeUndefined();
    });

    test('shows no credentials when it is serialised', async () => {
      const { id, credentials = 'none' } = await createBinding(await createInstance());
      const read = await client.getBinding(id, options);
      expect(JSON.stringify(read)).not.toContain(JSON.stringify(credentials));
      expect(read?.credentials).toBe(credentials);
    });

    test('has a name of its own for its instance', async () => {
      const id = await createInstance();
      const second = await createInstance('second');
      const { id: bindingID } = await createBinding(id);
      expect(await errorOf(() => createBinding(id))).toEqual(conflict);
      await createBinding(second);
      await createBinding(id, 'backup');
      const rename = { name: 'backup', kubernetesName: 'orders' };
      expect(await errorOf(() => client.renameBinding(bindingID, rename, options))).toEqual(conflict);
    });

    test('needs an instance, and to exist', async () => {
      expect(await errorOf(() => createBinding('none'))).toEqual(notFound);
      const rename = { name: 'backup', kubernetesName: 'orders' };
      expect(await errorOf(() => client.renameBinding('none', rename, options))).toEqual(notFound);
    });
  });

  describe('an operation', () => {
    test('creates an instance: it is not ready until it has ended', async () => {
      sm.async('create', { polls: 2, description: 'preparing' });
      const { id, operationURL } = operationOf(await client.createInstance(instance, options));
      const inProgress = { type: 'create', state: 'in progress', description: 'preparing' };
      expect(await client.getInstance(id, options)).toMatchObject({
        ready: false,
        usable: false,
        lastOperation: inProgress,
      });
      expect(await poll(operationURL)).toMatchObject(inProgress);
      expect(await poll(operationURL)).toMatchObject(inProgress);
      const succeeded = {
        id: expect.any(String),
        type: 'create',
        state: 'succeeded',
        description: 'preparing',
      };
      expect(await poll(operationURL)).toEqual(succeeded);
      expect(await poll(operationURL)).toEqual(succeeded);
      expect(await client.getInstance(id, options)).toMatchObject({
        ready: true,
        usable: true,
        lastOperation: succeeded,
      });
    });

    test('creates a binding: it has credentials when it has ended', async () => {
      const serviceInstanceID = await createInstance();
      sm.async('create', { polls: 1 });
      const created = await client.createBinding({ name: 'key', serviceInstanceID, identity }, options);
      const { id, operationURL } = operationOf(created);
      const pending = await client.getBinding(id, options);
      expect(pending).toMatchObject({
        ready: false,
        lastOperation: { type: 'create', state: 'in progress' },
      });
      expect(pending).not.toHaveProperty('credentials');
      expect(await ended(operationURL)).toMatchObject({ type: 'create', state: 'succeeded' });
      expect(await client.getBinding(id, options)).toMatchObject({
        ready: true,
        credentials: expect.any(String),
      });
    });

    test('that fails says why, and leaves an instance that is not ready', async () => {
      sm.async('create', { polls: 0, state: 'failed', errorDescription: 'no quota' });
      const { id, operationURL } = operationOf(await client.createInstance(instance, options));
      const failed = {
        id: expect.any(String),
        type: 'create',
        state: 'failed',
        errorDescription: 'no quota',
        errors: '{"description":"no quota"}',
      };
      expect(await poll(operationURL)).toEqual(failed);
      expect(await client.getInstance(id, options)).toMatchObject({
        ready: false,
        usable: false,
        lastOperation: failed,
      });
      expect(await errorOf(() => client.createInstance(instance, options))).toEqual(conflict);
    });

    test('updates an instance at its end, or not at all', async () => {
      const id = await createInstance();
      const update = { name: 'renamed', servicePlanID: 'plan-2' };
      sm.async('update', { polls: 0, state: 'failed', errorDescription: 'no' });
      await ended(operationOf(await client.updateInstance(id, update, options)).operationURL);
      expect(await client.getInstance(id, options)).toMatchObject({
        name: 'orders-db',
        ready: true,
        lastOperation: { type: 'update', state: 'failed' },
      });
      sm.async('update', { polls: 1 });
      const { operationURL } = operationOf(await client.updateInstance(id, update, options));
      expect(await client.getInstance(id, options)).toMatchObject({ name: 'orders-db', ready: true });
      expect(await ended(operationURL)).toMatchObject({ type: 'update', state: 'succeeded' });
      expect(await client.getInstance(id, options)).toMatchObject(update);
    });

    test('deletes at its end, or not at all', async () => {
      const id = await createInstance();
      sm.async('delete', { polls: 0, state: 'failed', errorDescription: 'in use' });
      expect(await ended(operationOf(await client.deleteInstance(id, options)).operationURL)).toMatchObject({
        type: 'delete',
        state: 'failed',
        errorDescription: 'in use',
      });
      expect(await client.getInstance(id, options)).toMatchObject({
        ready: true,
        lastOperation: { type: 'delete', state: 'failed' },
      });
      sm.async('delete', { polls: 1 });
      const { operationURL } = operationOf(await client.deleteInstance(id, options));
      expect(await client.getInstance(id, options)).toMatchObject({
        lastOperation: { type: 'delete', state: 'in progress' },
      });
      expect(await poll(operationURL, 'delete')).toMatchObject({ type: 'delete', state: 'in progress' });
      expect(await poll(operationURL, 'delete')).toMatchObject({ type: 'delete', state: 'succeeded' });
      expect(await client.getInstance(id, options)).toBeUndefined();
      expect(await poll(operationURL)).toMatchObject({ type: 'delete', state: 'succeeded' });
    });

    test('of a binding deletes at its end', async () => {
      const { id } = await createBinding(await createInstance());
      sm.async('delete', { polls: 1 });
      const { operationURL } = operationOf(await client.deleteBinding(id, options));
      expect(await client.getBinding(id, options)).toMatchObject({ ready: true });
      expect(await ended(operationURL)).toMatchObject({ type: 'delete', state: 'succeeded' });
      expect(await client.getBinding(id, options)).toBeUndefined();
    });

    test('in progress refuses other changes', async () => {
      const id = await createInstance();
      const { id: bindingID } = await createBinding(id);
      const free = await createInstance('second');
      sm.async('update', { polls: 100 });
      sm.async('delete', { polls: 100 });
      const update = { name: 'orders-db', servicePlanID: 'plan-1' };
      await client.updateInstance(id, update, options);
      for (const change of [
        () => client.updateInstance(id, update, options),
        () => client.shareInstance(id, true, options),
        () => createBinding(id, 'more'),
      ])
        expect(await errorOf(change)).toEqual(busy);
      await client.deleteInstance(free, options);
      expect(await errorOf(() => client.deleteInstance(free, options))).toEqual(busy);
      await client.deleteBinding(bindingID, options);
      const rename = { name: 'backup', kubernetesName: 'other' };
      for (const change of [
        () => client.deleteBinding(bindingID, options),
        () => client.renameBinding(bindingID, rename, options),
      ])
        expect(await errorOf(change)).toEqual(busy);
    });

    test('that is unknown is an error, but for a deletion', async () => {
      const url = '/v1/service_instances/i/operations/o';
      expect(await errorOf(() => poll(url, 'create'))).toEqual(notFound);
      expect(await errorOf(() => poll(url))).toEqual(notFound);
      expect(await poll(url, 'delete')).toEqual({ state: 'succeeded', type: 'delete' });
      expect(await thrownBy(() => poll('/other'))).toMatchObject({
        kind: 'transient',
        message: 'cannot get the operation: "/other" is no operation URL',
      });
    });
  });

  describe('a call', () => {
    test('of which the response is lost has taken effect', async () => {
      sm.answer('create', 'lost');
      expect(await thrownBy(() => client.createInstance(instance, options))).toBeInstanceOf(
        LostResponseError,
      );
      const [found] = await client.findInstances({ name: 'orders-db', identity }, options);
      expect(found).toMatchObject({ ready: true });
      sm.answer('bind', 'lost');
      expect(await thrownBy(() => createBinding(found?.id ?? ''))).toBeInstanceOf(LostResponseError);
      expect(await client.findBindings({ name: 'key', identity }, options)).toMatchObject([{ ready: true }]);
    });

    test('that is throttled says how long, and has no effect', async () => {
      sm.answer('create', 'throttled');
      const error = await thrownBy(() => client.createInstance(instance, options));
      expect(error).toBeInstanceOf(ThrottledError);
      expect(error).toMatchObject({ kind: 'throttled', retryAfterMs: 5000 });
    });

    test.each<[Call, () => Promise<unknown>]>([
      ['create', () => client.createInstance(instance, options)],
      ['get', () => client.getInstance('i', options)],
      ['find', () => client.findInstances({ name: 'orders-db', identity }, options)],
      ['update', () => client.updateInstance('i', { name: 'a', servicePlanID: 'plan-1' }, options)],
      ['delete', () => client.deleteInstance('i', options)],
      ['bind', () => createBinding('i')],
      ['getBinding', () => client.getBinding('b', options)],
      ['unbind', () => client.deleteBinding('b', options)],
      ['operation', () => poll('/v1/service_instances/i/operations/o', 'delete')],
    ])('that fails is an error, once: %s', async (call, action) => {
      sm.answer(call, 'failed');
      expect(await errorOf(action)).toEqual({
        class: 'transient',
        status: 500,
        kind: 'transient',
        isEffectUnknown: false,
      });
      await action().catch((error: unknown) => expect(error).toMatchObject({ status: 404 }));
    });

    test('that is fenced, or aborted, is not sent', async () => {
      const fenced = {
        signal,
        fence: () => {
          throw new FencedError('not the leader');
        },
      };
      const aborted = { signal: AbortSignal.abort(new Error('enough')), fence };
      await expect(client.createInstance(instance, fenced)).rejects.toThrow('not the leader');
      await expect(client.createInstance(instance, aborted)).rejects.toThrow('enough');
      await expect(client.getInstance('i', aborted)).rejects.toThrow('enough');
      expect(await client.findInstances({ name: 'orders-db', identity }, options)).toEqual([]);
      const id = await createInstance();
      const { id: bindingID } = await createBinding(id);
      for (const write of [
        () => client.updateInstance(id, { name: 'other', servicePlanID: 'plan-1' }, fenced),
        () => client.shareInstance(id, true, fenced),
        () => client.deleteInstance(id, fenced),
        () => client.createBinding({ name: 'more', serviceInstanceID: id, identity }, fenced),
        () => client.renameBinding(bindingID, { name: 'more', kubernetesName: 'more' }, fenced),
        () => client.deleteBinding(bindingID, fenced),
      ])
        await expect(write()).rejects.toThrow('not the leader');
      expect(await client.getInstance(id, options)).toMatchObject({ name: 'orders-db', shared: false });
      expect(await client.getBinding(bindingID, options)).toMatchObject({ name: 'key' });
    });
  });
});
