/** Objects that are deleted together leave nothing behind, in the cluster and in Service Manager. */
import '../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { serviceInstances } from '../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { KubeObject } from '../../../internal/kube/object/object.ts';
import { namespaces, secrets } from '../../../internal/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from './btp-environment.ts';
import type { InstanceOfTest } from './objects-of-test.ts';

let environment: BtpEnvironment;
beforeAll(async () => {
  environment = await startBtpEnvironment('btp-deletion');
  await environment.start();
});
afterAll(() => environment?.stop());

/** An instance with bindings of these names. */
async function bound(...names: readonly string[]): Promise<InstanceOfTest> {
  const { objects } = environment;
  const instance = await environment.instance();
  await instance.create();
  for (const name of names) {
    await objects.apply<ServiceBinding>(serviceBindings, {
      apiVersion: 'services.cloud.sap.com/v1',
      kind: 'ServiceBinding',
      metadata: { namespace: instance.name, name },
      spec: { serviceInstanceName: instance.name },
    } as ServiceBinding);
  }
  await eventually(async () => {
    for (const name of names)
      expect(await objects.find(secrets, { namespace: instance.name, name })).toBeDefined();
  });
  return instance;
}

async function untilNothingIsLeft({ name: namespace, external }: InstanceOfTest): Promise<void> {
  await eventually(async () => {
    const left: KubeObject[] = [
      ...(await environment.objects.list(serviceInstances, namespace)),
      ...(await environment.objects.list(serviceBindings, namespace)),
    ];
    expect(left.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([]);
  });
  expect(external()).toEqual([]);
  const bindings = environment.simulator.store.bindings();
  expect(bindings.filter(({ labels }) => labels._namespace?.includes(namespace))).toEqual([]);
}

test('an instance and its bindings, the instance first', async () => {
  const instance = await bound('a', 'b');
  await instance.delete();
  for (const name of ['a', 'b'])
    await environment.objects.delete(serviceBindings, { namespace: instance.name, name });
  await untilNothingIsLeft(instance);
});

test('the namespace of both', async () => {
  const instance = await bound('a');
  await environment.objects.delete(namespaces, { name: instance.name });
  await untilNothingIsLeft(instance);
  await eventually(async () => {
    expect(await environment.objects.find(namespaces, { name: instance.name })).toBeUndefined();
  });
});
