import { beforeEach, describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../../framework/base/for-each-test.fixture.ts';
import { originalBindingAnnotation, staleLabel } from '../../metadata.ts';
import { startHarnessWithInstance } from '../fixtures/binding-harness.fixture.ts';
import { serviceBindings } from '../resource.ts';
import { sampleBinding } from '../secret/secret.fixture.ts';
import { MAX_REPLACED, originKeysOf } from './expire.ts';

const h = forEachTest(startHarnessWithInstance);
beforeEach(async () => {
  h.sm.addBinding({ id: 'b-9', name: 'replaced', credentials: '{"a":"b"}' });
  const replaced = sampleBinding({
    externalName: 'replaced',
    credentialsRotationPolicy: { enabled: false, rotatedBindingTTL: '1h' },
  });
  const labels = { [staleLabel]: 'b-9' };
  const annotations = { [originalBindingAnnotation]: 'origin' };
  await h.apply({ ...replaced, metadata: { ...replaced.metadata, labels, annotations } });
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

const expectGone = () => {
  expect(h.stored()).toBeUndefined();
  expect(h.sm.bindings.size).toBe(0);
};

test('a replaced binding whose origin is gone is deleted after its time to live', async () => {
  await h.wait(3_500_000);
  expect(h.stored()).toBeDefined();
  await h.wait(200_000);
  expectGone();
});

/** Another replaced binding of the same instance. */
const replace = async (index: number, namespace = 'shop', origin: string | undefined = 'origin') => {
  const { metadata, ...rest } = sampleBinding({ secretName: 'x', serviceInstanceNamespace: 'shop' });
  const { uid: _, ...own } = metadata;
  const labels = { [staleLabel]: `r-${index}` };
  const annotations = { [originalBindingAnnotation]: origin };
  const marked = { ...own, namespace, name: `r-${index}`, labels, annotations };
  await h.client.create(serviceBindings, { ...rest, metadata: marked });
};

test('a replaced binding is deleted before its time, when its origin has replaced the most that are kept since', async () => {
  await h.wait(10_000);
  for (let index = 1; index < MAX_REPLACED; index++) await replace(index);
  // That of another namespace has another origin, though of the same name.
  await replace(MAX_REPLACED, 'other');
  await h.patch({ metadata: { annotations: { note: 'reconcile' } } });
  await h.wait();
  expect(h.stored()).toBeDefined();
  await replace(MAX_REPLACED);
  await h.patch({ metadata: { annotations: { note: 'again' } } });
  await h.wait();
  expect(h.stored()).toBeUndefined();
});

test('a replaced binding that names no origin stays for its time, however many others name none', async () => {
  await h.patch({ metadata: { annotations: { [originalBindingAnnotation]: null } } });
  await h.wait(10_000);
  for (let index = 1; index <= MAX_REPLACED; index++) await replace(index, 'shop', '');
  await h.patch({ metadata: { annotations: { note: 'reconcile' } } });
  await h.wait();
  expect(h.stored()).toBeDefined();
});

test('a replaced binding whose time to live is shortened is only deleted', async () => {
  await h.wait(10_000);
  await h.patch({ spec: { credentialsRotationPolicy: { rotatedBindingTTL: '1s' } } });
  await h.wait();
  expectGone();
  expect(h.sm.count('getBinding')).toBe(0);
  expect(h.recorder.lines().join()).not.toContain('Updated');
});

test('a replaced binding stays while its origin cannot be read', async () => {
  let fails = true;
  h.client.onRequest(({ verb, type, key }) => {
    if (fails && verb === 'get' && type === serviceBindings && key?.name === 'origin')
      throw new Error('out of order');
  });
  await h.wait(4_000_000);
  expect(h.stored()).toBeDefined();
  expect(h.sm.bindings.size).toBe(1);
  fails = false;
  await h.wait(100_000);
  expectGone();
});

test('a binding that was created under the same name meanwhile is not deleted', async () => {
  const stop = h.client.onRequest(async ({ verb, type }) => {
    if (verb !== 'delete' || type !== serviceBindings) return;
    stop();
    const key = { namespace: 'shop', name: 'orders-db' };
    await h.client.mergePatch(serviceBindings, key, { metadata: { finalizers: null } });
    await h.client.delete(serviceBindings, key);
    const { uid: _, ...successor } = sampleBinding().metadata;
    await h.client.create(serviceBindings, { ...sampleBinding(), metadata: successor });
  });
  await h.wait(3_700_000);
  const found = h.stored();
  expect(found).toBeDefined();
  expect(found?.metadata.labels?.[staleLabel]).toBeUndefined();
  expect(found?.metadata.deletionTimestamp).toBeUndefined();
});

test('a replaced binding that names no origin is deleted, and none is read', async () => {
  await h.patch({ metadata: { annotations: { [originalBindingAnnotation]: null } } });
  const before = h.client.requests.length;
  await h.wait(3_700_000);
  expectGone();
  const reads = h.client.requests
    .slice(before)
    .filter(({ verb, type }) => verb === 'get' && type.kind === 'ServiceBinding');
  expect(reads).toEqual([]);
});

test('a replaced binding stays while its origin still has the same credentials, as after a rotation that did not end', async () => {
  const { uid: _, ...metadata } = sampleBinding().metadata;
  const origin = sampleBinding({ externalName: 'replaced', secretName: 'origin' });
  await h.client.create(serviceBindings, { ...origin, metadata: { ...metadata, name: 'origin' } });
  await h.patchStatus({ ...h.stored()?.status, secretVersion: null }, 'origin');
  await h.wait(3_700_000);
  expect(h.stored('origin')?.status).toMatchObject({ bindingID: 'b-9', ready: 'True' });
  expect(h.condition('PendingTermination')).toMatch(/^True/);
  expect([...h.sm.bindings.keys()]).toEqual(['b-9']);
  h.sm.addBinding({ id: 'b-10', name: 'renewed' });
  await h.patchStatus({ bindingID: 'b-10' }, 'origin');
  await h.wait(100);
  expect(h.stored()).toBeUndefined();
});

test.each(['before it is adopted', 'afterwards'])(
  'a replaced binding that is gone in Service Manager %s is deleted after its time to live',
  async (when) => {
    h.sm.bindings.clear();
    if (when === 'afterwards') await h.compare();
    else {
      const bindingID = null;
      await h.patchStatus({ bindingID, conditions: [], ready: null });
    }
    await h.wait(3_500_000);
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    await h.wait(4_000_000);
    expectGone();
  },
);

test('only a replaced binding is requested by changes of another one', () => {
  const { metadata } = sampleBinding();
  const annotations = { [originalBindingAnnotation]: 'origin' };
  expect(originKeysOf(sampleBinding())).toEqual([]);
  expect(originKeysOf({ ...sampleBinding(), metadata: { ...metadata, annotations } })).toEqual([
    'shop/origin',
  ]);
});

describe('a replaced binding that waits for its origin', () => {
  beforeEach(async () => {
    const { uid: _, ...metadata } = sampleBinding().metadata;
    const origin = sampleBinding({ serviceInstanceName: 'none', secretName: 'origin' });
    await h.client.create(serviceBindings, { ...origin, metadata: { ...metadata, name: 'origin' } });
    await h.wait(3_700_000);
    expect(h.condition('PendingTermination')).toMatch(/^True/);
  });

  test('is settled, and says for which generation it waits', async () => {
    const own = () => h.client.requests.filter(({ verb }) => !['list', 'watch'].includes(verb));
    const before = own();
    await h.wait(3_700_000);
    expect(own().slice(before.length)).toEqual([]);
    expect(h.stored()?.status?.conditions.at(-1)).toMatchObject({
      type: 'PendingTermination',
      observedGeneration: 1,
    });
  });

  test('does not read it again when a user changes it', async () => {
    const reads = () =>
      h.client.requests.filter(({ verb, key }) => verb === 'get' && key?.name === 'origin').length;
    const before = reads();
    await h.patch({ metadata: { annotations: { note: 'x' } } }, 'origin');
    await h.wait();
    expect(reads()).toBe(before);
  });

  test('does not wait any more when its time to live is extended', async () => {
    await h.patch({ spec: { credentialsRotationPolicy: { rotatedBindingTTL: '100h' } } });
    await h.wait();
    expect(h.condition('PendingTermination')).toBeUndefined();
    expect(h.condition('Ready')).toMatch(/^True/);
  });
});
