/**
 * The fake of the unit tests is the simulator without HTTP: the same calls have the same results with it as with the real client. The
 * tests of this folder and of the simulator say what these results are.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FencedError } from '../../../internal/framework/base/concurrency/fence.ts';
import { LostResponseError } from '../../../internal/framework/http/index.ts';
import { createFakeServiceManager } from '../../../internal/systems/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import {
  lostResponse,
  refusal,
} from '../../../internal/systems/btp/fixtures/fake-service-manager/responses.fixture.ts';
import {
  type Change,
  type ServiceBinding,
  type ServiceInstance,
  type ServiceManagerClient,
  ServiceManagerError,
} from '../../../internal/systems/btp/service-manager/index.ts';
import type { ServiceManagerSimulator } from '../../simulators/service-manager/simulator.ts';
import { callOptions, connectionsTo, identity, startSimulator } from './set-up.ts';

const catalog = {
  offerings: [{ id: 'offering-1', catalog_name: 'xsuaa', tags: ['test'] }],
  plans: [
    { id: 'plan-1', catalog_name: 'application', service_offering_id: 'offering-1' },
    { id: 'plan-2', catalog_name: 'broker', service_offering_id: 'offering-1' },
  ],
};
const instance = { name: 'orders-db', servicePlanID: 'plan-1', parameters: { size: 1 }, identity };
const update = { name: 'renamed', servicePlanID: 'plan-2' };
const options = callOptions();

let simulator: ServiceManagerSimulator;
const { connect, closeAll } = connectionsTo(() => simulator);
beforeAll(async () => {
  simulator = await startSimulator({ catalog });
});
afterAll(async () => {
  await closeAll();
  await simulator.stop();
});

/** What the calls return or throw, without random IDs and credentials. */
async function resultsOf(client: ServiceManagerClient, makeAsynchronous: () => void) {
  const ids = new Map<string, string>();
  const results: unknown[] = [];
  const readable = (text: string) =>
    [...ids]
      .reduce((shown, [id, name]) => shown.replaceAll(id, name), text)
      .replace(/[0-9a-f-]{36}|op-\d+/g, 'operation');
  const call = async <T>(calling: Promise<T>): Promise<T | undefined> => {
    try {
      const result = await calling;
      results.push(
        JSON.parse(
          readable(
            JSON.stringify(result ?? null, (key, value) =>
              ['platformID', 'id'].includes(key) ? undefined : value,
            ),
          ),
        ),
      );
      return result;
    } catch (error) {
      if (!(error instanceof ServiceManagerError)) throw error;
      results.push(readable(error.message));
      return undefined;
    }
  };
  const idOf = (change: Change<ServiceInstance | ServiceBinding> | undefined, name: string) => {
    const id = change?.state === 'done' ? change.resource.id : (change?.id ?? '');
    ids.set(id, name);
    return id;
  };
  const id = idOf(await call(client.createInstance(instance, options)), 'instance');
  await call(client.createInstance(instance, options));
  const key = { name: 'key', serviceInstanceID: id, identity };
  const bindingID = idOf(await call(client.createBinding(key, options)), 'binding');
  await call(client.deleteInstance(id, options));
  await call(client.renameBinding(bindingID, { name: 'backup', kubernetesName: 'other' }, options));
  await call(client.findBindings({ name: 'backup', identity: { ...identity, name: 'other' } }, options));
  await call(client.findBindings({ name: 'key', identity }, options));
  await call(client.updateInstance(id, update, options));
  await call(client.shareInstance(id, true, options));
  await call(client.getInstance(id, options));
  await call(client.findInstances({ name: 'renamed', identity }, options));
  await client.eachInstance('cluster-1', (items) => results.push(items.length), options);
  await call(client.selectPlan({ instanceName: 'x', offeringName: 'xsuaa', planName: 'broker' }, options));
  await call(client.planByID('plan-9', options));
  makeAsynchronous();
  const deletion = await call(client.deleteBinding(bindingID, options));
  await call(client.deleteBinding(bindingID, options));
  const url = deletion?.state === 'in-progress' ? deletion.operationURL : '';
  for (let poll = 0; poll < 3; poll++) await call(client.getOperation(url, options));
  await call(client.getBinding(bindingID, options));
  await call(client.isBindingListed(bindingID, options));
  await call(client.deleteBinding(bindingID, options));
  return results;
}

test('the same calls have the same results', async () => {
  const fake = createFakeServiceManager();
  const [of, end] = [{ polls: 3, description: 'removing' }, { operation: 'delete' as const }];
  const ofFake = await resultsOf(fake.client, () => fake.async('delete', of));
  const ofSimulator = await resultsOf(
    await connect(),
    () => void simulator.modes.add({ on: end, mode: { async: of } }),
  );
  expect(ofFake).toEqual(ofSimulator);
  expect(ofFake).toHaveLength(22);
});

describe('a call of the fake', () => {
  test('of which the response is lost has taken effect, and one that is refused has not', async () => {
    const { client, fail, instances } = createFakeServiceManager();
    fail('create', [lostResponse()]);
    await expect(client.createInstance(instance, options)).rejects.toBeInstanceOf(LostResponseError);
    fail('update', [refusal(500, 'out of order')]);
    await expect(client.updateInstance('id-1', update, options)).rejects.toThrow('out of order');
    expect([...instances.values()]).toMatchObject([
      { name: 'orders-db', ready: true, parameters: { size: 1 } },
    ]);
  });

  test('that is fenced, or aborted, is not sent', async () => {
    const { client, calls } = createFakeServiceManager();
    const fenced = {
      ...options,
      fence: () => {
        throw new FencedError('not the leader');
      },
    };
    const aborted = { ...options, signal: AbortSignal.abort(new Error('enough')) };
    await expect(client.createInstance(instance, fenced)).rejects.toThrow('not the leader');
    await expect(client.deleteBinding('b-1', fenced)).rejects.toThrow('not the leader');
    await expect(client.getInstance('id-1', aborted)).rejects.toThrow('enough');
    expect(calls).toEqual([]);
  });
});
