/** What this provider leaves when it ends: as SAP's operator writes it, with operations that SAP's operator continues. */
import '../../harness/timeout.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { serviceBindings } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { secrets } from '../../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../environment/eventually.ts';
import { type BtpEnvironment, startBtpEnvironment } from '../btp-environment.ts';
import type { BindingOfTest, InstanceOfTest } from '../objects-of-test.ts';
import { bindingAction, bindingFields, instanceAction, instanceFields } from './go-reading.ts';
import { runUntil } from './take-over.ts';

const forceRotate = 'services.cloud.sap.com/forceRotate';
const stale = 'services.cloud.sap.com/stale';

let environment: BtpEnvironment;
let instances: Readonly<Record<'ready' | 'shared' | 'creating' | 'updating' | 'deleting', InstanceOfTest>>;
let bindings: Readonly<Record<'ready' | 'creating' | 'deleting' | 'rotated', BindingOfTest>>;

/** Operations of the instance and its binding do not end. */
function endless(name: string, operation: 'create' | 'update' | 'delete'): void {
  environment.simulator.modes.add({ on: { name, operation }, mode: { async: { polls: null } } });
}

async function madeInstances() {
  const instance = async (spec: object = {}, operation?: 'create' | 'update' | 'delete') => {
    const made = await environment.instance();
    if (operation !== undefined) endless(made.name, operation);
    await made.create(spec);
    if (operation !== 'create') await made.until('Ready', /^True/);
    return made;
  };
  const creating = await instance({}, 'create');
  await creating.until('Succeeded', /^False CreateInProgress/);
  const updating = await instance({}, 'update');
  await updating.patch({ parameters: { size: 2 } });
  await updating.until('Succeeded', /^False UpdateInProgress/);
  const deleting = await instance({}, 'delete');
  await deleting.delete();
  await deleting.until('Succeeded', /^False DeleteInProgress/);
  const shared = await instance({ shared: true });
  await shared.until('Shared', /^True ShareSucceeded/);
  return { ready: await instance(), shared, creating, updating, deleting };
}

async function madeBindings(ready: InstanceOfTest) {
  const binding = async (operation?: 'create' | 'delete', spec: object = {}) => {
    const instance = await environment.instance();
    await instance.create();
    const made = environment.binding(instance);
    if (operation !== undefined) endless(made.name, operation);
    await made.create(spec);
    if (operation !== 'create') await made.until('Ready', /^True/);
    return made;
  };
  const creating = await binding('create');
  await creating.until('Succeeded', /^False CreateInProgress/);
  const deleting = await binding('delete');
  await deleting.delete();
  await deleting.until('Succeeded', /^False DeleteInProgress/);
  const rotated = await binding(undefined, { credentialsRotationPolicy: { enabled: true } });
  const key = (await rotated.find())?.metadata ?? { name: '' };
  await environment.objects.patch(serviceBindings, key, {
    metadata: { annotations: { [forceRotate]: 'true' } },
  });
  await eventually(async () => {
    expect((await rotated.find())?.status).toHaveProperty('lastCredentialsRotationTime');
    const [backup] = await backupsOf(rotated);
    expect(backup?.status?.ready).toBe('True');
  });
  const made = environment.binding(ready);
  await made.create();
  await made.until('Ready', /^True/);
  return { ready: made, creating, deleting, rotated };
}

async function backupsOf(binding: BindingOfTest) {
  const namespace = (await binding.find())?.metadata.namespace;
  const all = await environment.objects.list(serviceBindings, namespace);
  return all.filter(({ metadata }) => metadata.labels?.[stale] !== undefined);
}

beforeAll(async () => {
  environment = await startBtpEnvironment();
  await runUntil(environment, async () => {
    instances = await madeInstances();
    bindings = await madeBindings(instances.ready);
  });
}, 300_000);
afterAll(() => environment?.stop());

test.each(['ready', 'shared', 'creating', 'updating', 'deleting'] as const)(
  'an instance that is %s has the fields and conditions of SAP’s operator, which does nothing or polls',
  async (name) => {
    const found = await instances[name].find();
    expect(found && instanceFields(found)).toEqual([]);
    const isSettled = name === 'ready' || name === 'shared';
    expect(found && instanceAction(found)).toBe(isSettled ? 'nothing' : 'poll');
  },
);

test.each(['ready', 'creating', 'deleting', 'rotated'] as const)(
  'a binding that is %s has the fields and conditions of SAP’s operator, which does nothing or polls',
  async (name) => {
    const found = await bindings[name].find();
    expect(found && bindingFields(found)).toEqual([]);
    const isSettled = name === 'ready' || name === 'rotated';
    expect(found && bindingAction(found)).toBe(isSettled ? 'nothing' : 'poll');
  },
);

test('a replaced binding has the marks by which SAP’s operator deletes it in its time', async () => {
  const [backup, ...others] = await backupsOf(bindings.rotated);
  expect(others).toEqual([]);
  expect(backup && [...bindingFields(backup), bindingAction(backup)]).toEqual(['nothing']);
  const origin = await bindings.rotated.find();
  expect(backup).toMatchObject({
    metadata: {
      labels: {
        [stale]: backup?.status?.bindingID,
        'services.cloud.sap.com/rotationOf': origin?.metadata.name,
      },
      annotations: { 'services.cloud.sap.com/original-binding-name': origin?.metadata.name },
      ownerReferences: [{ kind: 'ServiceBinding', uid: origin?.metadata.uid, controller: true }],
    },
    spec: { credentialsRotationPolicy: { enabled: false } },
  });
  const namespace = backup?.metadata.namespace ?? '';
  const secret = await environment.objects.get(secrets, { namespace, name: backup?.spec.secretName ?? '' });
  expect(secret.metadata.labels).toMatchObject({ [stale]: backup?.status?.bindingID });
});
