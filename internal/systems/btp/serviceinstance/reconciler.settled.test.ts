/** Instances without an operation: what is found in Service Manager, and when it is looked at again. */
import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { specHash } from './spec-hash.ts';

const HOUR = 3_600_000;
const notFound =
  'False NotFound instance id-1 not found for this cluster or namespace; or it is not managed by this operator-access instance.';
const asyncError = 'False CreateFailed ServiceInstance create failed: async operation error';

const h = forEachTest(startInstanceHarness);

test('a settled instance is compared with Service Manager every ten hours', async () => {
  await h.create();
  await h.wait(9 * HOUR);
  expect(h.sm.count('get')).toBe(0);
  await h.wait(2 * HOUR);
  expect(h.sm.count('get')).toBe(1);
  h.sm.instances.clear();
  await h.wait(8 * HOUR);
  expect(h.condition('Ready')).toMatch(/^True/);
  await h.wait(2 * HOUR);
  expect(h.condition('Ready')).toBe(notFound);
});

test('an instance that was created asynchronously is compared with Service Manager every ten hours', async () => {
  h.sm.async('create', { polls: 1 });
  await h.create();
  await h.wait(60_000);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  const before = h.sm.count('get');
  await h.wait(11 * HOUR);
  expect(h.sm.count('get') - before).toBe(1);
});

describe('an instance that is in Service Manager again', () => {
  const lose = async () => {
    await h.create();
    const [instance] = h.sm.instances.values();
    if (instance === undefined) throw new Error('not created');
    h.sm.instances.clear();
    await h.patch({ metadata: { annotations: { touched: 'x' } } });
    expect(h.condition('Ready')).toBe(notFound);
    h.sm.instances.set(instance.id, instance);
    return instance;
  };

  test('but not ready has failed, and is ready when Service Manager says so', async () => {
    const instance = await lose();
    instance.ready = false;
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toBe(asyncError);
    expect(h.condition('Ready')).toMatch(/^False/);
    expect(h.stored()?.status).not.toHaveProperty('observedGeneration');
    expect([h.sm.count('create'), h.sm.count('update'), h.sm.count('delete')]).toEqual([1, 0, 0]);
    instance.ready = true;
    await h.wait(11 * HOUR);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('and shared shows that, and gets an edit', async () => {
    const instance = await lose();
    instance.shared = true;
    await h.patch({ spec: { shared: true, externalName: 'renamed' } });
    await h.wait(60_000);
    expect(instance.name).toBe('renamed');
    expect(h.condition('Shared')).toBe('True ShareSucceeded Instance shared successfully');
    expect(h.sm.count('share')).toBe(0);
  });

  test('and not shared has no such condition', async () => {
    await lose();
    await h.wait(60_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.condition('Shared')).toBeUndefined();
    expect(h.sm.count('unshare')).toBe(0);
  });
});

test('a create in progress without an operation that can be polled is followed by reads', async () => {
  const instance = h.sm.add({
    id: 'id-9',
    ready: false,
    lastOperation: { type: 'create', state: 'in progress' },
  });
  await h.create();
  await h.wait(5500);
  expect(h.condition('Succeeded')).toBe('False CreateInProgress ServiceInstance is being created');
  expect(h.sm.count('get')).toBe(5);
  instance.ready = true;
  await h.wait(1000);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});

test('missing credentials hide only for a time that a create failed', async () => {
  h.sm.add({
    id: 'id-9',
    ready: false,
    lastOperation: { type: 'create', state: 'failed', description: 'no' },
  });
  await h.create();
  expect(h.condition('Succeeded')).toBe('False CreateFailed ServiceInstance create failed: no');
  h.credentialsError = new Error('cannot find credentials');
  await h.patch({ metadata: { annotations: { touched: 'x' } } });
  expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
  h.credentialsError = undefined;
  await h.wait();
  expect(h.condition('Succeeded')).toBe(asyncError);
});

test.each([
  { what: 'and what Service Manager has', without: {} },
  { what: 'and nothing else', without: { acceptedSpec: null } },
])(
  'an instance with an ID $what, without conditions, is neither created nor updated',
  async ({ without }) => {
    await h.create();
    for (const customTags of [['a'], ['b']]) await h.patch({ spec: { customTags } });
    await h.stop();
    const { instanceID, hashedSpec } = h.stored()?.status ?? {};
    const nothing = { conditions: [], hashedSpec: null, ready: null, observedGeneration: null };
    await h.patchStatus({ ...nothing, ...without });
    await h.restart();
    await h.wait();
    expect(h.stored()?.status).toMatchObject({
      instanceID,
      hashedSpec,
      ready: 'True',
      observedGeneration: 3,
    });
    expect(h.stored()?.status?.operationType).toBeUndefined();
    expect(hashedSpec).toBe(specHash(h.stored()?.spec ?? { serviceOfferingName: '', servicePlanName: '' }));
    expect([h.sm.count('create'), h.sm.count('update')]).toEqual([1, 0]);
  },
);
