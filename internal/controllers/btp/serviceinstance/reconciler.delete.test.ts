import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../base/errors/errors.ts';
import type { Operation } from '../../../clients/service-manager/index.ts';
import { MissingCredentialsError } from '../credentials/errors.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager.fixture.ts';
import { type InstanceHarness, startInstanceHarness } from './fixtures/instance-harness.fixture.ts';
import { serviceInstances } from './resource.ts';

let h: InstanceHarness;
beforeEach(async () => {
  h = await startInstanceHarness();
});
afterEach(() => h.stop());

async function created() {
  await h.create();
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
}

describe('a deleted instance', () => {
  test('is deleted in Service Manager first', async () => {
    await created();
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect([h.sm.count('delete'), h.sm.instances.size]).toEqual([1, 0]);
    expect(h.recorder.lines().at(-1)).toBe('Normal Deleted: ServiceInstance deleted successfully');
  });

  test('stays while Service Manager refuses, with the text', async () => {
    await created();
    h.sm.fail('delete', [refusal(400, 'there are bindings')], 'forever');
    await h.delete();
    await h.wait();
    expect(h.condition('Succeeded')).toBe('False DeleteFailed there are bindings');
    h.sm.heal('delete');
    await h.wait(60_000);
    expect(h.stored()).toBeUndefined();
  });

  test('throttled, is a deletion in progress', async () => {
    await created();
    h.sm.fail('delete', [throttled()]);
    await h.delete();
    expect(h.condition('Succeeded')).toBe('False DeleteInProgress ServiceInstance is being deleted');
    await h.wait(2000);
    expect(h.stored()).toBeUndefined();
  });

  test('is polled, if the deletion is asynchronous', async () => {
    await created();
    h.sm.async('delete', { polls: 1 });
    await h.delete();
    expect(h.condition('Succeeded')).toBe('False DeleteInProgress ServiceInstance is being deleted');
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.count('delete')).toBe(1);
  });

  test('shows why an asynchronous deletion failed, and is deleted again', async () => {
    await created();
    h.sm.async('delete', { polls: 0, state: 'failed', errorDescription: 'in use' });
    await h.delete();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False DeleteFailed ServiceInstance deletion failed: in use');
    h.sm.sync('delete');
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
  });

  test('shows an error of the poll, and goes on', async () => {
    await created();
    h.sm.async('delete', { polls: 0 });
    h.sm.fail('operation', [refusal(500, 'out of order')]);
    await h.delete();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False DeleteFailed out of order');
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
  });

  test('whose create is in progress is deleted as soon as Service Manager accepts it', async () => {
    h.sm.async('create', { polls: 100 });
    await h.create();
    await h.delete();
    expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
    for (const instance of h.sm.instances.values()) delete instance.lastOperation;
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.instances.size).toBe(0);
  });

  test('whose update is in progress is deleted', async () => {
    await created();
    h.sm.async('update', { polls: 100 });
    await h.patch({ spec: { externalName: 'renamed' } });
    for (const instance of h.sm.instances.values()) delete instance.lastOperation;
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

  test('stays without credentials, and says why', async () => {
    await created();
    h.credentialsError = new Error('secrets "sap-btp-service-operator" not found');
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      'False Failed cannot delete the instance in Service Manager without credentials: secrets "sap-btp-service-operator" not found',
    );
    h.credentialsError = undefined;
    await h.wait();
    expect(h.stored()).toBeUndefined();
    expect(h.sm.instances.size).toBe(0);
  });

  test('whose credentials do not exist names the Secret to create, and how to give the instance up', async () => {
    await created();
    const proposed = { namespace: 'btp', name: 'shop-sap-btp-service-operator' };
    h.credentialsError = new MissingCredentialsError('cannot find credentials', proposed);
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      'False Failed cannot delete the instance in Service Manager without credentials: cannot find credentials. Create the Secret btp/shop-sap-btp-service-operator with credentials of subaccount subaccount-1, or annotate the ServiceInstance with services.cloud.sap.com/deletionPolicy=Orphan to leave the instance in Service Manager',
    );
    expect(h.recorder.lines().at(-1)).toMatch(/^Warning Failed: cannot delete .* Create the Secret btp/);
  });

  test('whose credentials are refused says how to give the instance up', async () => {
    await created();
    h.sm.fail('delete', [new ProviderError('auth', 'cannot get a token: 401')], 'forever');
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      'False DeleteFailed cannot get a token: 401. Correct the credentials, or annotate the ServiceInstance with services.cloud.sap.com/deletionPolicy=Orphan to leave the instance in Service Manager',
    );
  });

  test.each(['Orphan', 'orphan'])(
    'with the deletion policy %s is left in Service Manager',
    async (policy) => {
      await created();
      await h.patch({ metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': policy } } });
      const calls = h.sm.calls.length;
      await h.delete();
      await h.wait();
      expect(h.stored()).toBeUndefined();
      expect([h.sm.calls.length, h.sm.instances.size]).toEqual([calls, 1]);
      const [id] = h.sm.instances.keys();
      expect(h.recorder.lines().at(-1)).toBe(
        `Warning Orphaned: ServiceInstance removed by its deletion policy; the instance ${id} stays in Service Manager`,
      );
    },
  );

  test('without credentials goes as soon as it has the deletion policy Orphan', async () => {
    await created();
    h.credentialsError = new Error('no credentials');
    await h.delete();
    await h.wait(600_000);
    expect(h.stored()).toBeDefined();
    await h.patch({ metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': 'Orphan' } } });
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.instances.size).toBe(1);
  });

  test('with another deletion policy is deleted', async () => {
    await created();
    await h.patch({ metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': 'Delete' } } });
    await h.delete();
    await h.wait(100);
    expect([h.stored(), h.sm.instances.size]).toEqual([undefined, 0]);
  });

  test('without an ID in the status is found in Service Manager', async () => {
    await created();
    await h.stop();
    await h.patchStatus({ instanceID: null });
    await h.delete();
    await h.restart();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.instances.size).toBe(0);
  });

  test('without an ID in the status, and unknown to Service Manager, goes without a call', async () => {
    await created();
    await h.stop();
    h.sm.instances.clear();
    await h.patchStatus({ instanceID: null });
    await h.delete();
    await h.restart();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.count('delete')).toBe(0);
  });
});

describe('a deleted instance without an ID is deleted once, whatever its last operation', () => {
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

test('a deleted instance without an ID, with an operation in progress, is deleted when that has ended', async () => {
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
