/** The simulator behind the real client, and the fake of the unit tests: the table of cases that runs against both. */
import { afterAll, beforeAll, beforeEach, describe } from '@jest/globals';
import type { Call } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-calls.fixture.ts';
import type { FakeOperations } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-operations.fixture.ts';
import { createFakeServiceManager } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import {
  lostResponse,
  refusal,
  throttled,
} from '../../../internal/systems/btp/fixtures/fake-service-manager/responses.fixture.ts';
import {
  type Change,
  type Deletion,
  type ServiceManagerClient,
  ServiceManagerError,
} from '../../../internal/systems/btp/service-manager/index.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import { callOptions, connectionsTo, startSimulator, thrownBy } from './set-up.ts';

export interface Tested {
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

/**
 * Defines the cases twice, for the simulator, which is started before and stopped after them, and for the fake.
 *
 * @param cases called with a function that returns the Service Manager of the current test
 */
export function describeBoth(cases: (tested: () => Tested) => void): void {
  let simulator: ServiceManagerSimulator;
  const { connect, closeAll } = connectionsTo(() => simulator);
  beforeAll(async () => {
    simulator = await startSimulator({ catalog });
  });
  afterAll(() => simulator.stop());
  const simulated = async () => {
    await closeAll();
    simulator.reset();
    return testedOf(simulator, await connect());
  };
  describe.each([
    ['simulator', simulated],
    ['fake', faked],
  ])('%s:', (_name, start) => {
    let current: Tested;
    beforeEach(async () => {
      current = await start();
    });
    cases(() => current);
  });
}

function testedOf(simulator: ServiceManagerSimulator, client: ServiceManagerClient): Tested {
  return {
    client,
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

export const identity = { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' };
export const instance = { name: 'orders-db', servicePlanID: 'plan-1', identity };
export const labels = {
  _clusterid: ['cluster-1'],
  _namespace: ['shop'],
  _k8sname: ['orders'],
  subaccount_id: ['subaccount-1'],
};
export const { signal, fence } = callOptions();
export const options = { signal, fence };

export function doneOf<T>(change: Change<T>): T {
  if (change.state !== 'done') throw new Error('the change is asynchronous');
  return change.resource;
}
export function operationOf(change: Change<unknown> | Deletion) {
  if (change.state !== 'in-progress') throw new Error('the change is synchronous');
  return change;
}

export const notFound = { class: 'not-found', status: 404, kind: 'not-found', isEffectUnknown: false };
export const conflict = { class: 'conflict', status: 409, kind: 'transient', isEffectUnknown: false };
export const busy = { class: 'concurrent-operation', status: 422, kind: 'transient', isEffectUnknown: false };

/** Calls of the client of the current test. */
export function helpersOf(tested: () => Tested) {
  const createInstance = async (name = instance.name) =>
    doneOf(await tested().client.createInstance({ ...instance, name }, options)).id;
  const createBinding = async (serviceInstanceID: string, name = 'key') =>
    doneOf(await tested().client.createBinding({ name, serviceInstanceID, identity }, options));
  const poll = (url: string) => tested().client.getOperation(url, { signal });
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
  return { createInstance, createBinding, poll, ended, errorOf };
}
