/** Objects that are deleted together leave nothing behind, in the cluster and in Service Manager. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstanceSpec,
  serviceInstances,
} from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { namespaces, secrets } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { secretManifest } from '../../environment/manifests.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import type { InstanceOfTest } from './objects-of-test.ts';

let environment: BtpEnvironment;
beforeAll(async () => {
  environment = await startBtpEnvironment('btp-deletion');
  await environment.start();
});
afterAll(() => environment?.stop());

type Key = { readonly namespace: string; readonly name: string };
const ownKey = ({ name: namespace }: InstanceOfTest) => ({ namespace, name: 'sap-btp-service-operator' });
const managedKey = ({ name }: InstanceOfTest) => ({
  namespace: environment.releaseNamespace,
  name: `${name}-sap-btp-service-operator`,
});

/** Stores credentials of the subaccount. */
async function putCredentials(key: Key, data: Readonly<Record<string, string>>): Promise<void> {
  await environment.objects.apply(secrets, secretManifest(key, data));
}

async function putBinding(namespace: string, name: string): Promise<void> {
  await environment.objects.apply<ServiceBinding>(serviceBindings, {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceBinding',
    metadata: { namespace, name },
    spec: { serviceInstanceName: namespace },
  } as ServiceBinding);
}

/** Binds the instance, which has the name of its namespace. */
async function bind(
  instance: InstanceOfTest,
  names: readonly string[],
  spec: Partial<ServiceInstanceSpec> = {},
): Promise<void> {
  const { name: namespace } = instance;
  await instance.create(spec);
  for (const name of names) await putBinding(namespace, name);
  await eventually(async () => {
    for (const name of names) expect(await secret({ namespace, name })).toBeDefined();
  });
}

const secret = (key: Key) => environment.objects.find(secrets, key);

/** Deletes the instance before its bindings. */
async function deleteBoth(instance: InstanceOfTest, names: readonly string[]): Promise<void> {
  await instance.delete();
  for (const name of names)
    await environment.objects.delete(serviceBindings, { namespace: instance.name, name });
}

const externalBindings = ({ name }: InstanceOfTest) =>
  environment.simulator.store.bindings().filter(({ labels }) => labels._namespace?.includes(name));

async function untilNoObjectIsLeft({ name: namespace }: InstanceOfTest): Promise<void> {
  await eventually(async () => {
    const left: KubeObject[] = [
      ...(await environment.objects.list(serviceInstances, namespace)),
      ...(await environment.objects.list(serviceBindings, namespace)),
    ];
    expect(left.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([]);
  });
}

async function untilNothingIsLeft(instance: InstanceOfTest): Promise<void> {
  await untilNoObjectIsLeft(instance);
  expect([instance.external(), externalBindings(instance)]).toEqual([[], []]);
}

async function untilNamespaceIsGone({ name }: InstanceOfTest): Promise<void> {
  await eventually(async () => {
    expect(await environment.objects.find(namespaces, { name })).toBeUndefined();
  });
}

test('an instance and its bindings, the instance first', async () => {
  const instance = await environment.instance();
  await bind(instance, ['a', 'b']);
  await deleteBoth(instance, ['a', 'b']);
  await untilNothingIsLeft(instance);
});

test('the namespace of both', async () => {
  const instance = await environment.instance();
  await bind(instance, ['a']);
  await environment.objects.delete(namespaces, { name: instance.name });
  await untilNothingIsLeft(instance);
  await untilNamespaceIsGone(instance);
});

test('the namespace of both, with their credentials', async () => {
  const instance = await environment.instance();
  const { secret: data } = await environment.simulator.credentials('subaccount-2');
  await putCredentials(ownKey(instance), data);
  // Slower than the deletion of the Secret would be.
  const polls = { async: { polls: 4, outcome: 'succeeded' as const } };
  environment.simulator.modes.add({ on: { name: instance.name, operation: 'delete' }, mode: polls });
  await bind(instance, ['a']);
  await environment.objects.delete(namespaces, { name: instance.name });
  await untilNothingIsLeft(instance);
  await untilNamespaceIsGone(instance);
});

describe('the Secret with the credentials, before the objects', () => {
  test.each([
    { where: 'of the namespace', keyOf: ownKey, named: false },
    { where: 'of the namespace, in the management namespace', keyOf: managedKey, named: false },
    { where: 'that the instance names', keyOf: managedKey, named: true },
  ])('$where', async ({ keyOf, named }) => {
    const instance = await environment.instance();
    const key = keyOf(instance);
    const { secret: data } = await environment.simulator.credentials('subaccount-2');
    await putCredentials(key, data);
    await bind(instance, ['a'], named ? { btpAccessCredentialsSecret: key.name } : {});
    await environment.objects.delete(secrets, key);
    await deleteBoth(instance, ['a']);
    await untilNothingIsLeft(instance);
    await eventually(async () => expect(await secret(key)).toBeUndefined());
  });
});

test('objects whose credentials are refused, and are corrected later', async () => {
  const instance = await environment.instance();
  const { secret: data } = await environment.simulator.credentials('subaccount-3');
  await putCredentials(ownKey(instance), data);
  await bind(instance, ['a']);
  const { secret: renewed } = await environment.simulator.rotateCredentials('subaccount-3', {
    revokeOld: true,
  });
  await deleteBoth(instance, ['a']);
  await instance.until('Succeeded', /^False DeleteFailed .*401.*\. Correct the credentials, or annotate/);
  expect(instance.external()).toHaveLength(1);
  await putCredentials(ownKey(instance), renewed);
  await untilNothingIsLeft(instance);
});

test('objects whose credentials are lost: the Secret to create is named, and the deletion goes on with it', async () => {
  const instance = await environment.instance();
  const key = managedKey(instance);
  const { secret: data } = await environment.simulator.credentials('subaccount-2');
  await putCredentials(key, data);
  await bind(instance, ['a'], { btpAccessCredentialsSecret: key.name });
  // As if it had been deleted before it was protected.
  await environment.objects.delete(secrets, key);
  await environment.objects.patch(secrets, key, { metadata: { finalizers: null } });
  await deleteBoth(instance, ['a']);
  const named = `Create the Secret ${key.namespace}/${key.name} with credentials of subaccount`;
  await instance.until('Succeeded', new RegExp(`^False Failed .*${named}`));
  await putCredentials(key, data);
  await untilNothingIsLeft(instance);
});

test('objects with the deletion policy Orphan stay in Service Manager, and are adopted by objects of the same name', async () => {
  const instance = await environment.instance();
  const { name: namespace } = instance;
  const key = managedKey(instance);
  const { secret: data } = await environment.simulator.credentials('subaccount-2');
  await putCredentials(key, data);
  await bind(instance, ['a'], { btpAccessCredentialsSecret: key.name });
  await environment.objects.delete(secrets, key);
  await environment.objects.patch(secrets, key, { metadata: { finalizers: null } });
  await deleteBoth(instance, ['a']);
  await instance.until('Succeeded', /^False Failed .* without credentials/);
  const policy = { metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': 'Orphan' } } };
  await environment.objects.patch(serviceInstances, { namespace, name: namespace }, policy);
  await environment.objects.patch(serviceBindings, { namespace, name: 'a' }, policy);
  await untilNoObjectIsLeft(instance);
  const kept = [instance.external(), externalBindings(instance)].flat().map(({ id }) => id);
  expect(kept).toHaveLength(2);

  await putCredentials(key, data);
  await bind(instance, ['a'], { btpAccessCredentialsSecret: key.name });
  expect([instance.external(), externalBindings(instance)].flat().map(({ id }) => id)).toEqual(kept);
  await deleteBoth(instance, ['a']);
  await untilNothingIsLeft(instance);
});
