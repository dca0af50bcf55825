/** Objects that are deleted together leave nothing behind, in the cluster and in Service Manager. */
import '../harness/timeout.ts';
import { describe, expect, test } from '@jest/globals';
import { serviceBindings } from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import { namespaces, secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { forFile } from '../harness/for-file.ts';
import { runBtpEnvironment } from './btp-environment.ts';
import type { BindingOfTest, InstanceOfTest } from './objects-of-test.ts';

const environment = forFile(runBtpEnvironment);

type Key = { readonly namespace: string; readonly name: string };
const ownKey = ({ name: namespace }: InstanceOfTest): Key => ({
  namespace,
  name: 'sap-btp-service-operator',
});
const managedKey = ({ name }: InstanceOfTest): Key => ({
  namespace: environment.releaseNamespace,
  name: `${name}-sap-btp-service-operator`,
});

/** An instance with its bindings, which has the name of its namespace. */
interface Bound {
  readonly instance: InstanceOfTest;
  readonly bindings: readonly BindingOfTest[];
}

/** Creates the objects and waits until the bindings have their Secrets. */
async function create({ instance, bindings }: Bound, spec: Partial<ServiceInstanceSpec> = {}): Promise<void> {
  await instance.create(spec);
  for (const binding of bindings) await binding.create();
  await eventually(async () => {
    for (const binding of bindings) expect(await binding.secret()).toBeDefined();
  });
}

interface CredentialsOptions {
  readonly keyOf: (instance: InstanceOfTest) => Key;
  readonly subaccount?: string;
  /** Whether the instance names the Secret. */
  readonly named?: boolean;
}

/** An instance and a binding with credentials of a subaccount, in a Secret of their own. */
async function createWithCredentials({
  keyOf,
  subaccount = 'subaccount-2',
  named = false,
}: CredentialsOptions) {
  const instance = await environment.instance();
  const key = keyOf(instance);
  const { secret } = await environment.simulator.credentials(subaccount);
  const put = (data = secret) => environment.objects.apply(secrets, secretManifest(key, data));
  const remove = () => environment.objects.delete(secrets, key);
  const bound = { instance, bindings: [environment.binding(instance)] };
  const createObjects = () => create(bound, named ? { btpAccessCredentialsSecret: key.name } : {});
  await put();
  await createObjects();
  return {
    ...bound,
    key,
    createObjects,
    credentials: {
      put,
      remove,
      find: () => environment.objects.find(secrets, key),
      /** As if it had been deleted before it was protected. */
      lose: async () => {
        await remove();
        await environment.objects.patch(secrets, key, { metadata: { finalizers: null } });
      },
    },
  };
}

/** Deletes the instance before its bindings. */
async function deleteAll({ instance, bindings }: Bound): Promise<void> {
  await instance.delete();
  for (const binding of bindings) await binding.delete();
}

/** The instance and all bindings of its namespace in Service Manager. */
const external = ({ instance }: Bound) => [
  ...instance.external(),
  ...environment.simulator.store
    .bindings()
    .filter(({ labels }) => labels._namespace?.includes(instance.name)),
];

async function untilNoObjectIsLeft({ instance: { name: namespace } }: Bound): Promise<void> {
  await eventually(async () => {
    const left: KubeObject[] = [
      ...(await environment.objects.list(serviceInstances, namespace)),
      ...(await environment.objects.list(serviceBindings, namespace)),
    ];
    expect(left.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([]);
  });
}

async function untilNothingIsLeft(bound: Bound): Promise<void> {
  await untilNoObjectIsLeft(bound);
  expect(external(bound)).toEqual([]);
}

/** Deletes the namespace of the objects, and with it all that is there. */
async function expectDeletionWithNamespace(bound: Bound): Promise<void> {
  const { name } = bound.instance;
  await environment.objects.delete(namespaces, { name });
  await untilNothingIsLeft(bound);
  await eventually(async () => expect(await environment.objects.find(namespaces, { name })).toBeUndefined());
}

test('[B12.2] the namespace of both, with their credentials', async () => {
  const bound = await createWithCredentials({ keyOf: ownKey });
  // Slower than the deletion of the Secret would be.
  const polls = { async: { polls: 4, outcome: 'succeeded' as const } };
  environment.simulator.modes.add({ on: { name: bound.instance.name, operation: 'delete' }, mode: polls });
  await expectDeletionWithNamespace(bound);
});

describe('the Secret with the credentials, before the objects', () => {
  test.each([
    { where: 'of the namespace', keyOf: ownKey, named: false },
    { where: 'of the namespace, in the management namespace', keyOf: managedKey, named: false },
    { where: 'that the instance names', keyOf: managedKey, named: true },
  ])('$where', async ({ keyOf, named }) => {
    const { credentials, ...bound } = await createWithCredentials({ keyOf, named });
    await credentials.remove();
    await deleteAll(bound);
    await untilNothingIsLeft(bound);
    await eventually(async () => expect(await credentials.find()).toBeUndefined());
  });
});

test('[B12.2] objects whose credentials are lost: the Secret to create is named, and the deletion goes on with it', async () => {
  const lost = await createWithCredentials({ keyOf: managedKey, named: true });
  const { credentials, key, instance } = lost;
  await credentials.lose();
  await deleteAll(lost);
  const named = `Create the Secret ${key.namespace}/${key.name} with credentials of subaccount`;
  await instance.until('Succeeded', new RegExp(`^False Failed .*${named}`));
  await credentials.put();
  await untilNothingIsLeft(lost);
});
