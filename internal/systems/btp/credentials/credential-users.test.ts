import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { nopLogger, nopMetrics } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { createInformers, type Informers } from '../../../framework/kube/cache/informers.ts';
import { createMemoryClient } from '../../../framework/kube/fakes/memory-client.ts';
import { bindingsOf, instancesOf } from '../caches.ts';
import { serviceBindings } from '../servicebinding/resource.ts';
import { boundInstance, sampleBinding } from '../servicebinding/secret/secret.fixture.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import {
  bindingsByInstance,
  bindingUsers,
  type CredentialUsers,
  credentialUserOf,
  instanceOf,
  instanceUsers,
  readInstance,
} from './credential-users.ts';
import { usersOf } from './secret-names.ts';

let informers: Informers;
let stops: (() => void)[];
beforeEach(async () => {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  client.seed(serviceInstances, boundInstance({ btpAccessCredentialsSecret: 'explicit' }));
  client.seed(serviceInstances, boundInstance({}, { namespace: 'data', uid: 'uid-d' }));
  client.seed(serviceBindings, sampleBinding());
  const inOther = { serviceInstanceNamespace: 'data' };
  client.seed(serviceBindings, sampleBinding(inOther, { name: 'remote', uid: 'uid-r' }));
  const toMissing = { ...inOther, serviceInstanceName: 'none' };
  client.seed(serviceBindings, sampleBinding(toMissing, { name: 'lost', uid: 'uid-l' }));
  informers = createInformers({ client, clock, log: nopLogger, metrics: nopMetrics });
  stops = [instancesOf(informers).start(), bindingsOf(informers).start()];
  await clock.advance(10);
});
afterEach(() => {
  for (const stop of stops) stop();
});

const settings = { releaseNamespace: 'btp', managementNamespace: 'central', namespaceSecrets: true };
/** What a change of a Secret requests. */
const requestsOf = (users: CredentialUsers, namespace: string, name = 'sap-btp-service-operator') => {
  const stopIndexes = users.indexes.map((index) => index.start());
  const requests = [...users.requestsOf(usersOf({ namespace, name }, settings))].sort();
  for (const stop of stopIndexes) stop();
  return requests;
};

test('an instance is found by the Secret that has its credentials', () => {
  const users = instanceUsers(informers);
  expect(requestsOf(users, 'shop')).toEqual([]);
  expect(requestsOf(users, 'central', 'explicit')).toEqual(['shop/orders']);
  expect(requestsOf(users, 'data')).toEqual(['data/orders']);
  expect(requestsOf(users, 'central', 'data-sap-btp-service-operator')).toEqual(['data/orders']);
  expect(requestsOf(users, 'btp')).toEqual(['data/orders']);
  expect(requestsOf(users, 'data', 'another')).toEqual([]);
});

test('a binding is found by the Secret of its instance, in another namespace too, and without its instance by its namespace', () => {
  const byInstance = bindingsByInstance(informers);
  stops.push(byInstance.start());
  expect(byInstance.of('data/orders').map(({ metadata }) => metadata.name)).toEqual(['remote']);
  const users = bindingUsers(informers, byInstance);
  expect(requestsOf(users, 'shop')).toEqual([]);
  expect(requestsOf(users, 'central', 'explicit')).toEqual(['shop/orders-db']);
  expect(requestsOf(users, 'data')).toEqual(['shop/lost', 'shop/remote']);
  expect(requestsOf(users, 'btp')).toEqual(['shop/lost', 'shop/remote']);
});

test('a binding without its instance has those of the namespace of the instance', () => {
  const binding = sampleBinding({ serviceInstanceNamespace: 'data', serviceInstanceName: 'none' });
  expect(instanceOf(binding, informers)).toBeUndefined();
  expect(credentialUserOf(binding, undefined)).toEqual({ metadata: { namespace: 'data' }, spec: {} });
  expect(credentialUserOf(sampleBinding(), undefined).metadata).toEqual({ namespace: 'shop' });
});

describe('the instance of a binding', () => {
  const { signal } = new AbortController();
  const setUp = async (parameters: Record<string, string>, binding = sampleBinding()) => {
    const clock = createFakeClock();
    const client = createMemoryClient({ clock });
    const instance = client.seed(serviceInstances, boundInstance({ parameters }));
    const own = createInformers({ client, clock, log: nopLogger, metrics: nopMetrics });
    stops.push(instancesOf(own).start());
    await clock.advance(10);
    const reads = () => client.requests.filter(({ verb }) => verb === 'get').length;
    return {
      client,
      instance,
      reads,
      read: () => readInstance(binding, { client, informers: own, signal }),
    };
  };

  test('is that of the cache if the cache has the whole of it', async () => {
    const { read, reads } = await setUp({ size: 'small' });
    expect((await read())?.spec.parameters).toEqual({ size: 'small' });
    expect(reads()).toBe(0);
  });

  test('is none if there is none', async () => {
    const { read, reads } = await setUp({}, sampleBinding({ serviceInstanceName: 'none' }));
    expect([await read(), reads()]).toEqual([undefined, 0]);
  });

  test('is read if it is large, since the cache keeps its small parts', async () => {
    const parameters = { text: 'x'.repeat(100_000) };
    const { client, read, reads, instance } = await setUp(parameters);
    expect((await read())?.spec.parameters).toEqual(parameters);
    expect(reads()).toBe(1);
    const release = client.holdWatches();
    await client.delete(serviceInstances, instance.metadata);
    expect(await read()).toBeUndefined();
    release();
  });

  test('is not taken for gone if it cannot be read', async () => {
    const { client, read } = await setUp({ text: 'x'.repeat(100_000) });
    client.onRequest(() => {
      throw new Error('no connection');
    });
    await expect(read()).rejects.toThrow('no connection');
  });
});
