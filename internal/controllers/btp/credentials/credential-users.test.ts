import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nopLogger } from '../../../base/telemetry/logger.ts';
import { nopMetrics } from '../../../base/telemetry/metrics.ts';
import { createFakeClock } from '../../../base/time/fake-clock.ts';
import { createInformers, type Informers } from '../../../kube/cache/informers.ts';
import { createMemoryClient } from '../../../kube/fakes/memory-client.ts';
import { serviceBindings } from '../servicebinding/resource.ts';
import { boundInstance, sampleBinding } from '../servicebinding/secret/secret.fixture.ts';
import { serviceInstances } from '../serviceinstance/resource.ts';
import { bindingUses, credentialUserOf, instanceOf, instanceUses } from './credential-users.ts';

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
  stops = [informers.of(serviceInstances).start(), informers.of(serviceBindings).start()];
  await clock.advance(10);
});
afterEach(() => {
  for (const stop of stops) stop();
});

test('an instance is reconciled with its own credentials', () => {
  const uses = instanceUses(informers).map(({ request, instance }) => ({ request, ...instance.spec }));
  expect(uses).toHaveLength(2);
  expect(uses).toContainEqual(
    expect.objectContaining({ request: 'shop/orders', btpAccessCredentialsSecret: 'explicit' }),
  );
  expect(uses.map(({ request }) => request)).toContain('data/orders');
});

test('a binding is reconciled with those of its instance, in another namespace too', () => {
  const uses = new Map(bindingUses(informers).map(({ request, instance }) => [request, instance]));
  expect([...uses.keys()].sort()).toEqual(['shop/lost', 'shop/orders-db', 'shop/remote']);
  expect(uses.get('shop/orders-db')).toMatchObject({
    metadata: { namespace: 'shop', name: 'orders' },
    spec: { btpAccessCredentialsSecret: 'explicit' },
  });
  expect(uses.get('shop/remote')).toMatchObject({ metadata: { namespace: 'data', name: 'orders' } });
});

test('a binding without its instance has those of the namespace of the instance', () => {
  const binding = sampleBinding({ serviceInstanceNamespace: 'data', serviceInstanceName: 'none' });
  expect(instanceOf(binding, informers)).toBeUndefined();
  expect(credentialUserOf(binding, undefined)).toEqual({ metadata: { namespace: 'data' }, spec: {} });
  expect(credentialUserOf(sampleBinding(), undefined).metadata).toEqual({ namespace: 'shop' });
});
