/** ServiceBindings from the object to Service Manager and the Secret, on a real API server. The unit tests have all scenarios. */
import '../harness/timeout.ts';
import { expect, test } from '@jest/globals';
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

test('asynchronous operations are polled, and the Secret comes and goes with them', async () => {
  const instance = await readyInstance('async');
  const binding = environment.binding(instance);
  await binding.create();
  await binding.until('Succeeded', /^False CreateInProgress/);
  expect(await binding.secret()).toBeUndefined();
  await binding.until('Succeeded', /^True Created/);
  expect((await binding.entries())?.password).toBe(binding.password());
  await binding.delete();
  await binding.untilGone();
  expect([binding.external(), await binding.secret()]).toEqual([[], undefined]);
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

test('[B12.5] the Secret is repaired when others delete or change it', async () => {
  const { binding } = await bound();
  const password = binding.password();
  const { uid } = (await binding.secret())?.metadata ?? {};
  await binding.deleteSecret();
  await eventually(async () => expect((await binding.entries())?.password).toBe(password));
  expect((await binding.secret())?.metadata.uid).not.toBe(uid);
  await binding.patchSecret({ data: { password: 'eA==', other: 'eA==' } });
  await eventually(async () => {
    expect(await binding.entries()).toMatchObject({ password });
    expect(await binding.entries()).not.toHaveProperty('other');
  });
  const label = 'services.cloud.sap.com/managed-by-sap-btp-operator';
  await binding.patchSecret({ metadata: { labels: { [label]: null } } });
  await eventually(async () =>
    expect((await binding.secret())?.metadata.labels).toEqual({ [label]: 'true' }),
  );
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

test('a template is rendered, and an edit writes the Secret', async () => {
  const { binding } = await bound({ secretTemplate: 'stringData:\n  login: {{ .credentials.username }}\n' });
  expect(await binding.entries()).toEqual({ login: `user-${binding.name}` });
  await binding.patch({ secretTemplate: 'stringData:\n  login: {{ .credentials.unknown }}\n' });
  await binding.until('Succeeded', /^False UpdateFailed .*map has no entry for key "unknown"/);
  await binding.patch({ secretTemplate: null });
  await binding.until('Succeeded', /^True Updated/);
  expect(await binding.entries()).toMatchObject({ username: `user-${binding.name}`, plan: 'standard' });
});

test('refused requests show the text and are retried', async () => {
  const instance = await readyInstance();
  const binding = environment.binding(instance);
  const refuse = {
    kind: 'status' as const,
    status: 400,
    body: { error: 'BadRequest', description: 'no quota' },
  };
  const { faults } = environment.simulator;
  faults.add({ on: { route: 'createBinding', name: binding.name, first: 4 }, do: refuse });
  await binding.create();
  await binding.until('Succeeded', /^False CreateFailed no quota/);
  await binding.until('Succeeded', /^True Created/);
  const instanceOfFault = binding.external()[0]?.id ?? '';
  faults.add({ on: { route: 'deleteBinding', instance: instanceOfFault, first: 4 }, do: refuse });
  await binding.delete();
  await binding.until('Succeeded', /^(False DeleteFailed no quota|$)/);
  await binding.untilGone();
  expect(binding.external()).toEqual([]);
});

const orphaned = { metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': 'Orphan' } } };

test('[B12.3] a binding that exists in Service Manager is adopted with its credentials', async () => {
  const { instance, binding } = await bound();
  const [{ id = '' } = {}] = binding.external();
  await environment.objects.patch(
    {
      group: 'services.cloud.sap.com',
      version: 'v1',
      kind: 'ServiceBinding',
      plural: 'servicebindings',
      namespaced: true,
    },
    { namespace: instance.name, name: binding.name },
    orphaned,
  );
  await binding.delete();
  await binding.untilGone();
  expect(binding.external().map((each) => each.id)).toEqual([id]);
  await binding.create();
  await binding.until('Succeeded', /^True Created/);
  expect((await binding.find())?.status?.bindingID).toBe(id);
  expect((await binding.entries())?.password).toBe(binding.password());
});

test('an instance of another namespace is bound, unless it refuses', async () => {
  const [instance, other] = [await readyInstance(), await environment.instance()];
  const binding = environment.binding(instance, { namespace: other.name });
  const annotate = (value: string | null) =>
    environment.objects.patch(
      {
        group: 'services.cloud.sap.com',
        version: 'v1',
        kind: 'ServiceInstance',
        plural: 'serviceinstances',
        namespaced: true,
      },
      { namespace: instance.name, name: instance.name },
      { metadata: { annotations: { 'services.cloud.sap.com/allowCrossNamespaceBinding': value } } },
    );
  await annotate('false');
  await binding.create();
  await binding.until('Succeeded', /^False Blocked couldn't find the service instance/);
  await annotate(null);
  await binding.until('Succeeded', /^True Created/);
  expect((await binding.secret())?.metadata.namespace).toBe(other.name);
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

test('doctor checks a binding check by check, and quotes no credentials', async () => {
  const { instance, binding } = await bound();
  const resource = `servicebinding/${binding.name}`;
  const healthy = await environment.doctor(resource, '-n', instance.name, '-o', 'json');
  expect(healthy).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(healthy.out)).toMatchObject({
    mapping: `${instance.name}/${binding.name}`,
    healthy: true,
    checks: [
      'resource',
      'conditions',
      'instance',
      'instance ready',
      'parameters',
      'Secret',
      'token',
      'Service Manager',
      'operation',
      'Secret of the binding',
    ].map((name) => ({ name, status: 'ok' })),
  });
  expect(healthy.out).not.toContain(binding.password());

  const other = await environment.instance();
  const waiting = environment.binding(instance, { namespace: other.name });
  await waiting.create({ serviceInstanceName: 'none' });
  await waiting.until('Succeeded', /^False Blocked/);
  const report = await environment.doctor(`servicebindings/${waiting.name}`, '-n', other.name);
  expect(report).toMatchObject({ code: 1, err: '' });
  expect(report.out).toMatch(/^FAIL +instance +ServiceInstance .*none/m);
  expect(report.out).toMatch(/^- +Secret of the binding/m);
});

test('no request of the file was outside of the contract', () => {
  expect(environment.simulator.violations()).toEqual([]);
});
