/** Rotation of credentials on a real API server. The unit tests have all steps and their failures. */
import '../harness/timeout.ts';
import { expect, test } from '@jest/globals';
import {
  type ServiceBinding,
  type ServiceBindingSpec,
  serviceBindings,
} from '../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { secrets } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../environment/eventually.ts';
import { forFile } from '../harness/for-file.ts';
import { runBtpEnvironment } from './btp-environment.ts';

const environment = forFile(runBtpEnvironment);

const stale = 'services.cloud.sap.com/stale';
const forceRotate = 'services.cloud.sap.com/forceRotate';

/** A binding of an instance of its own, with the same name and Secret. */
async function bound(policy: Omit<NonNullable<ServiceBindingSpec['credentialsRotationPolicy']>, 'enabled'>) {
  const { objects, simulator } = environment;
  const instance = await environment.instance();
  await instance.create();
  const { name } = instance;
  const key = { namespace: name, name };
  await objects.apply(serviceBindings, {
    apiVersion: serviceBindings.apiVersion,
    kind: serviceBindings.kind,
    metadata: key,
    spec: { serviceInstanceName: name, credentialsRotationPolicy: { enabled: true, ...policy } },
  });
  const find = () => objects.find(serviceBindings, key);
  const until = (check: (binding: ServiceBinding | undefined) => void) =>
    eventually(async () => check(await find()));
  await until((binding) => expect(binding?.status?.ready).toBe('True'));
  const secretOf = async (secretName: string) =>
    (await objects.find(secrets, { namespace: name, name: secretName }))?.data;
  return {
    name,
    key,
    find,
    until,
    secretOf,
    backups: async () => {
      const items = await objects.list(serviceBindings, name);
      return items.filter(({ metadata }) => metadata.labels?.[stale] !== undefined);
    },
    external: () => simulator.store.bindings().filter((each) => each.name.startsWith(name)),
  };
}

test('a requested rotation replaces the content of the Secret, and keeps the replaced credentials', async () => {
  const binding = await bound({ rotationFrequency: '1h', rotatedBindingTTL: '1h' });
  const { name, key } = binding;
  const before = { id: (await binding.find())?.status?.bindingID ?? '', data: await binding.secretOf(name) };
  await environment.objects.patch(serviceBindings, key, {
    metadata: { annotations: { [forceRotate]: 'true' } },
  });
  await binding.until((found) => {
    expect(found?.status?.lastCredentialsRotationTime).toBeDefined();
    expect(found?.status?.conditions).toHaveLength(2);
    expect(found?.metadata.annotations?.[forceRotate]).toBeUndefined();
  });
  expect((await binding.find())?.status?.bindingID).not.toBe(before.id);
  expect(await binding.secretOf(name)).not.toEqual(before.data);

  const [backup, ...others] = await binding.backups();
  expect(others).toEqual([]);
  expect(backup?.metadata.labels?.[stale]).toBe(before.id);
  const secretName = backup?.spec.secretName ?? '';
  await eventually(async () =>
    expect(await binding.secretOf(secretName)).toMatchObject({
      ...before.data,
      '.metadata': expect.anything(),
    }),
  );
  expect(binding.external()).toHaveLength(2);
});

test('[B12.8] a binding is rotated on schedule, and the replaced one is deleted after its time to live', async () => {
  const binding = await bound({ rotationFrequency: '2s', rotatedBindingTTL: '1s' });
  const before = (await binding.find())?.status?.bindingID;
  await binding.until((found) => {
    expect(found?.status?.lastCredentialsRotationTime).toBeDefined();
    expect(found?.status?.bindingID).not.toBe(before);
  });
  await eventually(async () => {
    expect(await binding.backups()).toEqual([]);
    expect(binding.external()).toHaveLength(1);
  });
});
