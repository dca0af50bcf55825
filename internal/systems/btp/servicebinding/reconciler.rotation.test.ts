import { beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import {
  finalizer,
  forceRotateAnnotation,
  originalBindingAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../metadata.ts';
import { startBindingHarness } from './fixtures/binding-harness.fixture.ts';
import { type ServiceBinding, serviceBindings } from './resource.ts';

const HOUR = 3_600_000;
const policy = { enabled: true, rotationFrequency: '1h', rotatedBindingTTL: '10h' };

const h = forEachTest(startBindingHarness);
let issued: number;
beforeEach(async () => {
  issued = 0;
  h.sm.credentials = () => JSON.stringify({ password: `password-${++issued}` });
  await h.putInstance();
});

const all = async () => (await h.client.list(serviceBindings)).items;
const backups = async () => (await all()).filter(({ metadata }) => metadata.labels?.[staleLabel]);
const backup = async (): Promise<ServiceBinding> => {
  const [found, ...others] = await backups();
  if (found === undefined || others.length > 0) throw new Error(`${others.length + 1} backups`);
  return found;
};
const forceRotation = () => h.patch({ metadata: { annotations: { [forceRotateAnnotation]: '' } } });

test('[B119] a binding is rotated when it is due: new credentials in its Secret, the replaced ones in a backup', async () => {
  await h.create({ credentialsRotationPolicy: policy });
  await h.wait(HOUR - 1000);
  expect(h.secret()).toMatchObject({ password: 'password-1' });
  await h.wait(2000);
  expect(h.secret()).toMatchObject({ password: 'password-2' });
  const { status } = h.stored() ?? {};
  expect(status?.bindingID).toBe('b-2');
  expect(status?.lastCredentialsRotationTime).toBe('2024-01-01T01:00:00Z');
  expect(status?.conditions.map(({ type }) => type)).toEqual(['Succeeded', 'Ready']);
  expect(h.condition('Ready')).toMatch(/^True/);

  const { metadata, spec } = await backup();
  expect(metadata.labels).toEqual({ [staleLabel]: 'b-1', [rotationOfLabel]: 'orders-db' });
  expect(metadata.annotations).toEqual({ [originalBindingAnnotation]: 'orders-db' });
  expect(spec.credentialsRotationPolicy?.enabled).toBe(false);
  expect(h.secret(spec.secretName)).toMatchObject({ password: 'password-1' });
  expect(h.stored(metadata.name)?.status?.bindingID).toBe('b-1');
  expect(h.sm.bindings.get('b-1')).toMatchObject({
    name: spec.externalName,
    identity: { name: metadata.name },
  });
});

test('labels and annotations of others stay on the Secret: it is copied by them to other namespaces', async () => {
  await h.create({ credentialsRotationPolicy: policy });
  const marks = {
    labels: { team: 'shop' },
    annotations: { 'replicator.v1.mittwald.de/replicate-to': 'other' },
  };
  const key = { namespace: 'shop', name: 'orders-secret' };
  const applied = { apiVersion: 'v1', kind: 'Secret', metadata: { ...key, ...marks } };
  await h.client.otherProgram().apply(secrets, applied, { fieldManager: 'users', force: true });
  await h.wait(HOUR + 1000);
  expect(h.secret()).toMatchObject({ password: 'password-2' });
  expect(h.client.peek(secrets, key)?.metadata).toMatchObject(marks);
});

test('[B12.8] the next rotation is due after the frequency, without any event', async () => {
  await h.create({ credentialsRotationPolicy: policy });
  await h.wait(3 * HOUR + 5000);
  expect(h.secret()).toMatchObject({ password: 'password-4' });
  expect(await backups()).toHaveLength(3);
});

test.each([
  { direction: 'days ahead', ms: 30 * 24 * HOUR },
  { direction: 'back', ms: -30 * 24 * HOUR },
])(
  'a clock that jumps $direction neither advances nor delays rotations and the end of replaced bindings',
  async ({ ms }) => {
    await h.create({ credentialsRotationPolicy: { ...policy, rotatedBindingTTL: '90m' } });
    await h.wait(HOUR + 5000);
    const { metadata } = await backup();
    const touch = (name?: string) => h.patch({ metadata: { annotations: { touched: String(ms) } } }, name);
    h.clock.jump(ms);
    await touch();
    await touch(metadata.name);
    await h.wait(50 * 60_000);
    expect(h.secret()).toMatchObject({ password: 'password-2' });
    expect(h.stored(metadata.name)).toBeDefined();
    await h.wait(15 * 60_000);
    expect(h.secret()).toMatchObject({ password: 'password-3' });
    await h.wait(30 * 60_000);
    expect(h.stored(metadata.name)).toBeUndefined();
  },
);

test('[B120] [B12.4] a rotation is requested by an annotation, which is removed', async () => {
  await h.create({ credentialsRotationPolicy: policy });
  await forceRotation();
  await h.wait();
  expect(h.secret()).toMatchObject({ password: 'password-2' });
  expect(h.stored()?.metadata.annotations?.[forceRotateAnnotation]).toBeUndefined();
  expect(await backups()).toHaveLength(1);
});

test('[B126] a binding of an instance in another namespace is rotated in its own', async () => {
  await h.putInstance({}, 'data');
  await h.create({ credentialsRotationPolicy: policy, serviceInstanceNamespace: 'data' });
  await forceRotation();
  await h.wait();
  expect(h.secret()).toMatchObject({ password: 'password-2' });
  const { metadata, spec } = await backup();
  expect([metadata.namespace, spec.serviceInstanceNamespace]).toEqual(['shop', 'data']);
  expect(h.secret(spec.secretName)).toMatchObject({ password: 'password-1' });
});

test('without an enabled policy nothing is rotated', async () => {
  await h.create({ credentialsRotationPolicy: { ...policy, enabled: false } });
  await forceRotation();
  await h.wait(2 * HOUR);
  expect(h.secret()).toMatchObject({ password: 'password-1' });
});

describe('a rotation that fails', () => {
  test('[B12.8] shows why, keeps the credentials usable, and is retried', async () => {
    h.sm.fail('rename', [refusal(500, 'out of order')], 'forever');
    await h.create({ credentialsRotationPolicy: policy });
    const reads = h.sm.count('getBinding');
    await forceRotation();
    // The refusal says nothing about whether the binding is there.
    expect(h.sm.count('getBinding')).toBe(reads);
    expect(h.condition('CredRotationInProgress')).toBe('True Preparing out of order');
    expect(h.condition('Ready')).toMatch(/^True/);
    expect(await backups()).toEqual([]);
    h.sm.heal('rename');
    await h.wait(60_000);
    expect(h.secret()).toMatchObject({ password: 'password-2' });
  });

  test('throttled, goes on when Service Manager allows', async () => {
    h.sm.fail('rename', [throttled()]);
    await h.create({ credentialsRotationPolicy: policy });
    await forceRotation();
    expect(h.condition('CredRotationInProgress')).toMatch(/^True Preparing/);
    await h.wait(1500);
    expect(h.secret()).toMatchObject({ password: 'password-2' });
  });

  test('to create the new binding keeps the Secret, and is retried', async () => {
    await h.create({ credentialsRotationPolicy: policy });
    h.sm.fail('bind', [refusal(400, 'no quota')], 'forever');
    await forceRotation();
    await h.wait();
    expect(h.condition('Succeeded')).toBe('False CreateFailed no quota');
    expect(h.condition('CredRotationInProgress')).toMatch(/^True Rotating/);
    expect(h.secret()).toMatchObject({ password: 'password-1' });
    h.sm.heal('bind');
    await h.wait(120_000);
    expect(h.secret()).toMatchObject({ password: 'password-2' });
    expect(h.condition('CredRotationInProgress')).toBeUndefined();
  });

  test('because Service Manager does not have the binding any more says that it is missing', async () => {
    await h.create({ credentialsRotationPolicy: policy });
    h.sm.bindings.clear();
    await forceRotation();
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
  });
});

const READS = ['get', 'list', 'watch'];

test.each([0, 1, 2, 3, 4, 5, 6, 7])(
  'a rotation that a restart interrupts after %d writes makes one backup and one new binding',
  async (writes) => {
    await h.create({ credentialsRotationPolicy: policy });
    const before = h.client.requests.length;
    h.sm.credentials = () => JSON.stringify({ password: 'new' });
    // The first write is that of the test.
    let left = writes + 1;
    const recover = h.client.onRequest(({ verb, type }) => {
      if (READS.includes(verb) || type.kind === 'Event') return;
      if (left-- <= 0) throw new Error('the process ended');
    });
    await forceRotation();
    await h.wait(1000);
    await h.restart();
    recover();
    expect(h.client.requests.length).toBeGreaterThan(before);
    await h.wait(120_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.condition('CredRotationInProgress')).toBeUndefined();
    expect(h.stored()?.metadata.annotations?.[forceRotateAnnotation]).toBeUndefined();
    expect(h.secret()).toMatchObject({ password: 'new' });
    const { metadata, spec } = await backup();
    expect(h.stored(metadata.name)?.status).toMatchObject({ bindingID: 'b-1', ready: 'True' });
    expect(h.secret(spec.secretName)).toMatchObject({ password: 'password-1' });
    expect([...h.sm.bindings.values()].map(({ name }) => name).sort()).toEqual(
      ['orders-db', spec.externalName].sort(),
    );
  },
);

describe('a replaced binding', () => {
  const expired = { ...policy, rotationFrequency: '100h', rotatedBindingTTL: '1h' };
  const replace = async () => {
    await h.create({ credentialsRotationPolicy: expired });
    await forceRotation();
    await h.wait();
    return (await backup()).metadata.name;
  };

  test('[B121] is deleted after its time to live, with its Secret and in Service Manager', async () => {
    const name = await replace();
    const secretName = h.stored(name)?.spec.secretName;
    await h.wait(HOUR - 60_000);
    expect(h.stored(name)).toBeDefined();
    await h.wait(120_000);
    expect(h.stored(name)).toBeUndefined();
    expect(h.secret(secretName)).toBeUndefined();
    expect([...h.sm.bindings.keys()]).toEqual(['b-2']);
  });

  test('[B122] stays while its origin has no credentials, and goes as soon as it has', async () => {
    const name = await replace();
    h.sm.fail('bind', [refusal(400, 'no quota')], 'forever');
    await forceRotation();
    await h.wait(HOUR + 60_000);
    expect(h.condition('PendingTermination', name)).toBe(
      'True PendingTermination waiting for new credentials to be ready',
    );
    h.sm.heal('bind');
    await h.wait(120_000);
    expect(h.stored(name)).toBeUndefined();
  });

  test('[B123] is deleted when its origin is gone, or none is named', async () => {
    const name = await replace();
    const remove = { [rotationOfLabel]: null };
    await h.patch({ metadata: { labels: remove, annotations: { [originalBindingAnnotation]: null } } }, name);
    await h.wait(HOUR + 60_000);
    expect(h.stored(name)).toBeUndefined();
  });

  test.each([
    { title: 'fails', error: () => refusal(503, 'out of order') },
    { title: 'is throttled', error: throttled },
  ])('is deleted in Service Manager also if the first read of it $title', async ({ error }) => {
    // One for each of the two bindings that are looked up.
    h.sm.fail('findBindings', [error(), error()]);
    const name = await replace();
    expect(h.stored(name)?.metadata.finalizers).toEqual([finalizer]);
    await h.delete(name);
    await h.wait();
    expect(h.stored(name)).toBeUndefined();
    expect([...h.sm.bindings.keys()]).toEqual(['b-2']);
  });

  test('that Service Manager does not have is never created', async () => {
    const name = await replace();
    h.sm.bindings.delete('b-1');
    await h.patchStatus({ bindingID: null }, name);
    await h.wait();
    expect(h.condition('Ready', name)).toMatch(/^False NotFound/);
    expect(h.sm.count('bind')).toBe(2);
  });
});
