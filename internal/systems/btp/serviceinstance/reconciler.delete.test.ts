/** What only instances do when they are deleted; ../operations has the tests of both kinds. */
import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import type { Operation } from '../service-manager/index.ts';
import { startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { serviceInstances } from './resource.ts';

const h = forEachTest(startInstanceHarness);

async function created() {
  await h.create();
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
}

describe('a deleted instance', () => {
  test('[B21] whose update is in progress is deleted', async () => {
    await created();
    h.sm.async('update', { polls: 100 });
    await h.patch({ spec: { externalName: 'renamed' } });
    for (const instance of h.sm.instances.values()) instance.lastOperation = undefined;
    await h.delete();
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
  });

  test('is not delayed by the backoff of its create', async () => {
    h.sm.fail('create', [refusal(400, 'no')], 'forever');
    await h.create();
    await h.wait(120_000);
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.count('delete')).toBe(0);
  });
});

describe('[B38] a deleted instance without an ID is deleted once, whatever its last operation', () => {
  const operations: readonly Operation[] = (['create', 'update'] as const).flatMap((type) => [
    { type, state: 'succeeded' as const },
    { type, state: 'failed' as const },
  ]);
  test.each(operations)('$type $state', async (lastOperation) => {
    h.sm.fail('create', [refusal(400, 'no')], 'forever');
    await h.create();
    h.sm.add({ id: 'id-9', lastOperation });
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect([h.sm.count('delete'), h.sm.instances.size]).toEqual([1, 0]);
  });
});

test('[B38] a deleted instance without an ID, with an operation in progress, is deleted when that has ended', async () => {
  h.sm.fail('create', [refusal(400, 'no')], 'forever');
  await h.create();
  const instance = h.sm.add({ id: 'id-9', lastOperation: { type: 'create', state: 'in progress' } });
  await h.delete();
  await h.wait(3000);
  expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
  instance.lastOperation = { type: 'create', state: 'succeeded' };
  await h.wait(1100);
  expect(h.stored()).toBeUndefined();
  expect(h.sm.instances.size).toBe(0);
});

test('an instance that is gone before its create is recorded is deleted in Service Manager', async () => {
  // As the API server does when it began the deletion before it stored the finalizer.
  const stop = h.client.onRequest(async ({ verb, subresource }) => {
    if (verb !== 'update' || subresource !== 'status' || h.sm.instances.size === 0) return;
    stop();
    const key = { namespace: 'shop', name: 'orders' };
    await h.client.mergePatch(serviceInstances, key, { metadata: { finalizers: null } });
    await h.client.delete(serviceInstances, key);
  });
  await h.create();
  await h.wait();
  expect(h.stored()).toBeUndefined();
  expect(h.sm.count('create')).toBe(1);
  expect(h.sm.instances.size).toBe(0);
});
