import type { ServiceBinding } from '../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { createFakeClock } from '../../internal/framework/base/time/fake-clock.ts';
import { createMemoryClient } from '../../internal/framework/kube/fakes/memory-client.ts';
import { secrets } from '../../internal/framework/kube/index.ts';
import { createFakeServiceManager } from '../../internal/systems/btp/fixtures/fake-service-manager/fake-service-manager.fixture.ts';
import { finalizer, managedByLabel, rotationOfLabel } from '../../internal/systems/btp/metadata.ts';
import { serviceBindings } from '../../internal/systems/btp/servicebinding/resource.ts';
import { sampleBinding } from '../../internal/systems/btp/servicebinding/secret/secret.fixture.ts';
import { sampleInstance } from '../../internal/systems/btp/serviceinstance/fixtures/serviceinstance.fixture.ts';
import { serviceInstances } from '../../internal/systems/btp/serviceinstance/resource.ts';
import { startServiceProcess } from '../campaign/btp/service-process.ts';
import { observeTriggers, type TriggerRow, type TriggerRows, type TriggerWorld } from './observe-triggers.ts';

const WATCHED = 'services.cloud.sap.com/watch-secret';
const at = (name: string, namespace = 'shop') => ({ namespace, name });

/** An instance `orders` that is ready, its bindings `orders-db` and `orders-old`, which that has replaced, and their Secrets. */
export async function btpTriggers(): Promise<TriggerWorld> {
  const clock = createFakeClock();
  const client = createMemoryClient({ clock });
  const users = client.otherProgram();
  const triggers = observeTriggers();
  const binding = (name: string, more: Partial<ServiceBinding> = {}, metadata = {}) =>
    client.seed(serviceBindings, {
      ...sampleBinding({ externalName: name, secretName: name }, { name, uid: `uid-${name}`, ...metadata }),
      ...more,
    });
  const putSecret = (name: string, namespace: string, metadata = {}) =>
    client.seed(secrets, {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { ...at(name, namespace), ...metadata } },
      data: {},
    });
  const instance = sampleInstance(
    { parametersFrom: [{ secretKeyRef: { name: 'parameters', key: 'p' } }] },
    { instanceID: 'id-1', ready: 'True' },
  );
  client.seed(serviceInstances, instance);
  const closing = { name: 'closing', uid: 'uid-closing', finalizers: [finalizer] };
  client.seed(serviceInstances, { ...instance, metadata: { ...instance.metadata, ...closing } });
  const status: ServiceBinding['status'] = { conditions: [], ready: 'False', bindingID: 'id-b' };
  binding('orders-db', { status });
  binding('orders-old', {}, { labels: { [rotationOfLabel]: 'orders-db' } });
  binding('closing-db', { spec: { serviceInstanceName: 'closing' } }, { finalizers: [finalizer] });
  putSecret('parameters', 'shop', {
    labels: { [WATCHED]: 'true' },
    annotations: { [`${WATCHED}-uid-1`]: 'true' },
  });
  putSecret('sap-btp-service-operator', 'shop', { labels: { [WATCHED]: 'true' } });
  putSecret('shop-sap-btp-service-operator', 'btp');
  putSecret('sap-btp-service-operator-tls', 'shop');
  const owner = { apiVersion: 'services.cloud.sap.com/v1', kind: 'ServiceBinding', name: 'orders-db' };
  putSecret('orders-db', 'shop', {
    labels: { [managedByLabel]: 'true' },
    ownerReferences: [{ ...owner, uid: 'uid-orders-db', controller: true }],
  });
  const service = startServiceProcess({
    ...{ clock, client, fence: () => undefined, build: triggers.build },
    serviceManager: createFakeServiceManager().client,
  });
  await clock.advance(10);
  const touch = (name: string, namespace = 'shop') =>
    users.mergePatch(secrets, at(name, namespace), {
      data: { a: Buffer.from(`${clock.now()}`).toString('base64') },
    });
  const compare = async () => {
    const compared = service.compare();
    await clock.advance(10);
    await compared;
  };
  const credentials = (reconciles: string): TriggerRow[] => [
    {
      what: 'credentials for the namespace in the management namespace',
      change: () => touch('shop-sap-btp-service-operator', 'btp'),
      reconciles,
    },
    { what: 'credentials of the namespace', change: () => touch('sap-btp-service-operator'), reconciles },
    {
      what: 'the certificate of the namespace',
      change: () => touch('sap-btp-service-operator-tls'),
      reconciles,
    },
  ];
  const instances: TriggerRows = [
    {
      what: 'itself',
      change: () => users.mergePatch(serviceInstances, at('orders'), { spec: { externalName: 'other' } }),
      reconciles: 'shop/orders',
    },
    ...credentials('shop/orders'),
    { what: 'a Secret with parameters', change: () => touch('parameters'), reconciles: 'shop/orders' },
    {
      what: 'the last binding of a deleted instance',
      change: async () => {
        await users.delete(serviceInstances, at('closing'));
        await clock.advance(10);
        triggers.reset();
        await users.mergePatch(serviceBindings, at('closing-db'), { metadata: { finalizers: null } });
      },
      reconciles: 'shop/closing',
    },
    { what: 'Service Manager, which has lost it', change: compare, reconciles: 'shop/orders' },
  ];
  const bindings: TriggerRows = [
    {
      what: 'itself',
      change: () => users.mergePatch(serviceBindings, at('orders-db'), { spec: { secretKey: 'key' } }),
      reconciles: 'shop/orders-db',
    },
    {
      what: 'its instance',
      change: () =>
        users.mergePatch(
          serviceInstances,
          at('orders'),
          { status: { instanceID: 'id-2' } },
          { subresource: 'status' },
        ),
      reconciles: 'shop/orders-db',
    },
    ...credentials('shop/orders-db'),
    {
      what: 'the binding that has replaced it',
      change: () =>
        users.mergePatch(
          serviceBindings,
          at('orders-db'),
          { status: { ready: 'True' } },
          { subresource: 'status' },
        ),
      reconciles: 'shop/orders-old',
    },
    'requests an instance: its row is among those of instances',
    { what: 'its Secret', change: () => touch('orders-db'), reconciles: 'shop/orders-db' },
    { what: 'Service Manager, which has lost it', change: compare, reconciles: 'shop/orders-db' },
  ];
  const watched: TriggerRows = [
    {
      what: 'itself',
      change: () =>
        users.mergePatch(secrets, at('parameters'), {
          metadata: { annotations: { [`${WATCHED}-uid-gone`]: 'true' } },
        }),
      reconciles: 'shop/parameters',
    },
    {
      what: 'the credentials that an instance names',
      change: () =>
        users.mergePatch(serviceInstances, at('orders'), { spec: { btpAccessCredentialsSecret: 'named' } }),
      reconciles: 'shop/parameters',
    },
    {
      what: 'a new binding',
      change: () => binding('new-db', { spec: { serviceInstanceName: 'none' } }),
      reconciles: 'shop/sap-btp-service-operator',
    },
  ];
  return {
    triggers,
    rows: {
      'serviceinstance.services.cloud.sap.com': instances,
      'servicebinding.services.cloud.sap.com': bindings,
      secret: watched,
    },
    wait: (ms) => clock.advance(ms),
    stop: () => service.stop(),
  };
}
