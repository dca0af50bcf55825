/** ServiceBindings from the object to Service Manager and the Secret, on a real API server. The unit tests have all scenarios. */
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
import { type BtpEnvironment, runBtpEnvironment } from './btp-environment.ts';

const environment = forFile(runBtpEnvironment);

const readyInstance = async (plan = 'standard') => {
  const instance = await environment.instance();
  await instance.create({ servicePlanName: plan });
  await instance.until('Ready', /^True/);
  return instance;
};
const bound = async (...[spec]: Parameters<ReturnType<BtpEnvironment['binding']>['create']>) => {
  const instance = await readyInstance();
  const binding = environment.binding(instance);
  await binding.create(spec);
  await binding.until('Succeeded', /^True Created/);
  return { instance, binding };
};
test('a binding is created with its Secret, and deleted with it', async () => {
  const { instance, binding } = await bound({ parameters: { role: 'admin' } });
  const [external] = binding.external();
  expect(external).toMatchObject({
    service_instance_id: instance.external()[0]?.id,
    labels: { _namespace: [instance.name], _k8sname: [binding.name], _clusterid: ['cluster-1'] },
    parameters: { role: 'admin' },
  });
  expect(await binding.entries()).toMatchObject({
    username: `user-${binding.name}`,
    password: binding.password(),
    settings: '{"pool":8}',
    instance_guid: instance.external()[0]?.id,
    plan: 'standard',
    label: 'sample',
  });
  expect((await binding.find())?.status).toMatchObject({ bindingID: external?.id, ready: 'True' });
  expect((await binding.secret())?.metadata).toMatchObject({
    labels: { 'services.cloud.sap.com/managed-by-sap-btp-operator': 'true' },
    annotations: { binding: binding.name },
    ownerReferences: [{ kind: 'ServiceBinding', name: binding.name, controller: true }],
  });
  await binding.delete();
  await binding.untilGone();
  expect([binding.external(), await binding.secret()]).toEqual([[], undefined]);
  expect(
    environment.simulator
      .requests()
      .filter((request) => JSON.stringify(request).includes(external?.id ?? '')),
  ).toHaveLength(1);
});

test('[B12.5] a binding is created as soon as its instance is ready', async () => {
  const instance = await environment.instance();
  const binding = environment.binding(instance);
  await binding.create();
  await binding.until('Succeeded', /^False Blocked couldn't find the service instance/);
  await instance.create({ servicePlanName: 'async' });
  await binding.until('Succeeded', /^False Blocked service instance is not ready/);
  await binding.until('Succeeded', /^True Created/);
  expect(binding.external()).toHaveLength(1);
});

test('a Secret that others change back again and again is written 30 times in a minute, and the binding says so', async () => {
  const { binding } = await bound();
  const written = new Set<string>();
  const isLimited = async () => {
    const { metadata, data = { foreign: '' } } = (await binding.secret()) ?? { metadata: {} };
    if (!('foreign' in data)) {
      written.add(metadata.resourceVersion ?? '');
      await binding.patchSecret({ data: { foreign: 'eA==' } });
    }
    expect(JSON.stringify((await binding.find())?.status)).toContain('was written 30 times within a minute');
  };
  await eventually(isLimited, { intervalMs: 20, timeoutMs: 60_000 });
  expect(written.size).toBeLessThanOrEqual(30);
});

test('[B12.10] events tell what happened to the Secret, without credentials', async () => {
  const { instance, binding } = await bound();
  const password = binding.password() ?? '';
  await binding.deleteSecret();
  await binding.until('Succeeded', /^True Updated/);
  await eventually(async () => {
    const { body } = await environment.request(`/api/v1/namespaces/${instance.name}/events`);
    const { items } = body as { items: { reason: string; type: string; involvedObject: { name: string } }[] };
    const own = items.filter(({ involvedObject }) => involvedObject.name === binding.name);
    expect(own.map(({ type, reason }) => `${type} ${reason}`)).toEqual(
      expect.arrayContaining(['Normal SecretCreated', 'Warning SecretDeleted']),
    );
    expect(JSON.stringify(own)).not.toContain(password);
  });
  expect(JSON.stringify(await binding.find())).not.toContain(password);
});

test('no request of the file was outside of the contract', () => {
  expect(environment.simulator.violations()).toEqual([]);
});

/** Rotation of credentials on a real API server. The unit tests have all steps and their failures. */

const stale = 'services.cloud.sap.com/stale';
const forceRotate = 'services.cloud.sap.com/forceRotate';

/** A binding of an instance of its own, with the same name and Secret. */
async function rotated(
  policy: Omit<NonNullable<ServiceBindingSpec['credentialsRotationPolicy']>, 'enabled'>,
) {
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
  const binding = await rotated({ rotationFrequency: '1h', rotatedBindingTTL: '1h' });
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
  const binding = await rotated({ rotationFrequency: '2s', rotatedBindingTTL: '1s' });
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
