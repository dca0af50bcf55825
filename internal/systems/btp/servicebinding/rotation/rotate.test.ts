import { describe, expect, test } from '@jest/globals';
import { FencedError, noFence } from '../../../../framework/base/concurrency/fence.ts';
import { forEachTest } from '../../../../framework/base/for-each-test.fixture.ts';
import { secrets } from '../../../../framework/kube/index.ts';
import { refusal, throttled } from '../../fixtures/fake-service-manager/responses.fixture.ts';
import {
  forceRotateAnnotation,
  originalBindingAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../../metadata.ts';
import { startHarnessWithInstance } from '../fixtures/binding-harness.fixture.ts';
import { type ServiceBinding, serviceBindings } from '../resource.ts';
import { sampleBinding } from '../secret/secret.fixture.ts';
import { backupNames } from './rotate.ts';

const h = forEachTest(startHarnessWithInstance);

/** SAP's operator ends the names of its backups with random characters. */
const backupName = 'orders-db-x7k2pq';

/** As SAP's operator leaves a rotation that ended after it had created the backup. */
async function leaveRotation(): Promise<void> {
  const rename = { name: backupName, kubernetesName: backupName };
  await h.sm.client.renameBinding('b-1', rename, { signal: new AbortController().signal, fence: noFence });
  const secretName = 'orders-secret-x7k2pq';
  const credentialsRotationPolicy = { enabled: false };
  const backup = sampleBinding({ externalName: backupName, secretName, credentialsRotationPolicy });
  backup.metadata = {
    namespace: 'shop',
    name: backupName,
    labels: { [staleLabel]: 'b-1', [rotationOfLabel]: 'orders-db' },
    annotations: { [originalBindingAnnotation]: 'orders-db' },
  };
  await h.apply(backup);
  const preparing = {
    type: 'CredRotationInProgress',
    status: 'True',
    reason: 'Preparing',
    message: '',
    lastTransitionTime: '2024-01-01T00:00:00Z',
  };
  await h.patchStatus({ conditions: [...(h.stored()?.status?.conditions ?? []), preparing] });
}

const forceRotation = () => h.patch({ metadata: { annotations: { [forceRotateAnnotation]: '' } } });

test('a rotation shows its step until the new credentials are there', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  h.sm.async('create', { polls: 2 });
  await forceRotation();
  expect(h.condition('CredRotationInProgress')).toBe('True Rotating Rotating');
  expect(h.condition('Ready')).toBe('False NotProvisioned');
  expect(h.recorder.lines()).toContain('Normal CreateInProgress: rotating binding credentials');
  await h.wait(1500);
  expect(h.stored()?.status).toMatchObject({ bindingID: 'b-2', ready: 'False' });
  expect(h.stored()?.status?.lastCredentialsRotationTime).toBeUndefined();
  await h.wait(2000);
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.stored()?.status).toMatchObject({
    ready: 'True',
    lastCredentialsRotationTime: expect.stringMatching(/Z$/),
  });
});

test('a rotation waits while another binding has the name of the backup', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  const origin = h.stored();
  if (origin === undefined) throw new Error('no binding');
  const { name } = backupNames(origin, 'b-1');
  await h.create({ secretName: 'other', serviceInstanceName: 'none' }, name);
  await forceRotation();
  expect(h.condition('CredRotationInProgress')).toBe(
    `True Preparing cannot keep the replaced credentials: another ServiceBinding ${name} exists`,
  );
  expect(h.condition('Ready')).toMatch(/^True/);
  expect(h.stored()?.status?.bindingID).toBe('b-1');
  await h.delete(name);
  await h.wait(60_000);
  expect(h.stored(name)?.metadata.labels?.[staleLabel]).toBe('b-1');
  expect(h.stored()?.status?.bindingID).toBe('b-2');
});

test('a Secret that is deleted while a rotation cannot begin is written again', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  h.sm.fail('rename', [refusal(400, 'no')], 'forever');
  await forceRotation();
  await h.wait(300_000);
  expect(h.condition('CredRotationInProgress')).toBe('True Preparing no');
  await h.client.delete(secrets, { namespace: 'shop', name: 'orders-secret' });
  await h.wait(100);
  expect(h.secret()?.password).toBe('secret-orders-db');
  await h.patch({ spec: { secretTemplate: 'stringData:\n  key: "{{ .credentials.password }}"' } });
  await h.wait(100);
  expect(h.secret()).toEqual({ key: 'secret-orders-db' });
  h.sm.heal('rename');
  await h.wait(60_000);
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.stored()?.status?.bindingID).toBe('b-2');
});

test('a failed create is not rotated', async () => {
  h.sm.addBinding({ id: 'b-9', ready: false, lastOperation: { type: 'create', state: 'failed' } });
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await forceRotation();
  await h.wait();
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.sm.count('rename')).toBe(0);
});

describe('a rotation that becomes due', () => {
  const rotated = async () => {
    await h.wait();
    expect(h.sm.count('rename')).toBe(1);
    expect(h.condition('CredRotationInProgress')).toBeUndefined();
  };

  test('while the instance cannot be used is done afterwards', async () => {
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    await h.putInstance({ status: { ready: 'False' } });
    await forceRotation();
    expect(h.sm.count('rename')).toBe(0);
    await h.putInstance({ status: { ready: 'True' } });
    await rotated();
  });

  test('while an edit is refused is done after a valid one', async () => {
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    await h.patch({ spec: { secretRootKey: 'no key' } });
    expect(h.condition('Succeeded')).toMatch(/^False UpdateFailed/);
    await forceRotation();
    await h.wait();
    expect(h.sm.count('rename')).toBe(0);
    await h.patch({ spec: { secretRootKey: 'root' } });
    await rotated();
  });

  test('while the binding is created is done afterwards', async () => {
    h.sm.async('create', { polls: 1 });
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    await forceRotation();
    h.sm.sync('create');
    expect(h.sm.count('rename')).toBe(0);
    await rotated();
  });
});

test('a rotation ends at once, also if the new credentials are those of the Secret', async () => {
  h.sm.credentials = () => JSON.stringify({ password: 'the same' });
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await forceRotation();
  await h.wait();
  expect(h.stored()?.status?.bindingID).toBe('b-2');
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.stored()?.status?.lastCredentialsRotationTime).toBeDefined();
});

test('a rotation that has a backup with another name goes on with it', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await leaveRotation();
  await h.wait(1000);
  const { items } = await h.client.list(serviceBindings);
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['orders-db', backupName]);
  expect(h.sm.bindings.get('b-1')?.name).toBe(backupName);
  expect(h.stored()?.status).toMatchObject({ bindingID: 'b-2', ready: 'True' });
  expect(h.condition('CredRotationInProgress')).toBeUndefined();
  expect(h.stored(backupName)?.status).toMatchObject({ bindingID: 'b-1', ready: 'True' });
});

describe('before the binding in Service Manager is renamed', () => {
  test('the condition says that a rotation is being prepared', async () => {
    const seen: (string | undefined)[] = [];
    const { renameBinding } = h.sm.client;
    h.sm.client.renameBinding = (...args) => {
      seen.push(h.condition('CredRotationInProgress'));
      return renameBinding(...args);
    };
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    await forceRotation();
    await h.wait();
    expect(seen).toEqual(['True Preparing Preparing']);
  });

  test('the cause of the last failure stays in the condition until an attempt succeeds', async () => {
    h.sm.fail('rename', [refusal(500, 'out of order'), refusal(500, 'out of order')]);
    const seen: (string | undefined)[] = [];
    const { renameBinding } = h.sm.client;
    h.sm.client.renameBinding = (...args) => {
      seen.push(h.condition('CredRotationInProgress'));
      return renameBinding(...args);
    };
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    await forceRotation();
    await h.wait(60_000);
    expect(seen).toEqual(['True Preparing Preparing', ...Array(2).fill('True Preparing out of order')]);
  });

  test('a process that may not write any more records no failure', async () => {
    h.sm.fail('rename', [new FencedError('another replica writes')]);
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    await forceRotation();
    expect(h.condition('CredRotationInProgress')).toBe('True Preparing Preparing');
    await h.wait(60_000);
    expect(h.stored()?.status?.bindingID).toBe('b-2');
  });

  test('a condition of another program that is not True is no rotation', async () => {
    await h.create({ credentialsRotationPolicy: { enabled: true } });
    const ended = {
      type: 'CredRotationInProgress',
      status: 'False',
      reason: 'Rotating',
      message: '',
      lastTransitionTime: '2024-01-01T00:00:00Z',
    };
    await h.patchStatus({ conditions: [...(h.stored()?.status?.conditions ?? []), ended] });
    await h.wait();
    expect(h.sm.count('rename')).toBe(0);
    expect(h.stored()?.status?.lastCredentialsRotationTime).toBeUndefined();
  });
});

test('the condition of a rotation has the generation of the binding', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  h.sm.fail('rename', [refusal(500, 'out of order')], 'forever');
  await h.patch({ spec: { secretKey: 'all' } });
  await forceRotation();
  expect(h.stored()?.metadata.generation).toBe(2);
  expect(h.stored()?.status?.conditions.at(-1)).toMatchObject({
    type: 'CredRotationInProgress',
    message: 'out of order',
    observedGeneration: 2,
  });
});

test('a rotation that fails shows no parameter of a Secret', async () => {
  await h.putSecret('db', { password: 'hunter2' });
  const parametersFrom = [{ secretKeyRef: { name: 'db', key: 'parameters' } }];
  await h.create({ credentialsRotationPolicy: { enabled: true }, parametersFrom });
  h.sm.fail('rename', [refusal(400, 'hunter2 is wrong')], 'forever');
  await forceRotation();
  expect(h.condition('CredRotationInProgress')).toBe('True Preparing [redacted] is wrong');
});

test('a backup with the same ID in another namespace is not the one of the binding', async () => {
  const other = sampleBinding({ serviceInstanceName: 'none' });
  other.metadata = { namespace: 'office', name: 'other', labels: { [staleLabel]: 'b-1' } };
  await h.apply(other);
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await forceRotation();
  await h.wait();
  const { items } = await h.client.list(serviceBindings);
  const backups = items.filter(({ metadata }) => metadata.labels?.[staleLabel] === 'b-1');
  expect(backups.map(({ metadata }) => metadata.namespace).sort()).toEqual(['office', 'shop']);
  expect(h.stored()?.status?.bindingID).toBe('b-2');
});

test('a rotation goes on with its backup if the response of its create was lost', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  const stop = h.client.onRequest(async ({ verb, type, body }) => {
    if (verb !== 'create' || type !== serviceBindings) return;
    stop();
    await h.client.create(serviceBindings, body as ServiceBinding);
  });
  await forceRotation();
  expect(h.stored()?.status?.bindingID).toBe('b-2');
  await h.wait();
  const { items } = await h.client.list(serviceBindings);
  expect(items).toHaveLength(2);
  expect(h.sm.count('rename')).toBe(1);
});

test('a rotation waits as long as Service Manager asks', async () => {
  h.sm.fail('rename', [throttled(30_000)]);
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await forceRotation();
  await h.wait(29_000);
  expect(h.sm.count('rename')).toBe(1);
  await h.wait(2000);
  expect(h.stored()?.status?.bindingID).toBe('b-2');
});

test('a rotation that finds its binding missing in Service Manager creates no other one', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  h.sm.bindings.clear();
  await forceRotation();
  await h.wait(60_000);
  expect(h.condition('Ready')).toMatch(/^False NotFound binding b-1/);
  expect(h.stored()?.status?.bindingID).toBe('b-1');
  expect(h.sm.count('bind')).toBe(1);
});

test('a binding that lost its ID is looked up before it is rotated', async () => {
  await h.create({ credentialsRotationPolicy: { enabled: true } });
  await h.stop();
  await h.patchStatus({ bindingID: null });
  await forceRotation();
  await h.restart();
  await h.wait();
  const renamed = h.sm.calls.filter(({ call }) => call === 'rename').map(({ argument }) => argument);
  expect(renamed).toEqual([expect.objectContaining({ id: 'b-1' })]);
  expect(h.stored()?.status?.bindingID).toBe('b-2');
});

test('in Service Manager the replaced binding has the external name of the backup, the new one that of its origin', async () => {
  await h.create({ externalName: 'external', credentialsRotationPolicy: { enabled: true } });
  await forceRotation();
  await h.wait();
  expect(h.sm.bindings.get('b-1')?.name).toMatch(/^external-[a-z0-9]{6}$/);
  expect(h.sm.bindings.get('b-1')?.identity.name).toMatch(/^orders-db-[a-z0-9]{6}$/);
  expect(h.sm.bindings.get('b-2')?.name).toBe('external');
});
