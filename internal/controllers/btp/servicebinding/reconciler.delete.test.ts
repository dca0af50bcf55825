import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../../base/errors/errors.ts';
import type { Operation } from '../../../clients/service-manager/index.ts';
import { MissingCredentialsError } from '../credentials/errors.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager.fixture.ts';
import { finalizer } from '../metadata.ts';
import { type BindingHarness, startBindingHarness } from './fixtures/binding-harness.fixture.ts';
import { serviceBindings } from './resource.ts';

let h: BindingHarness;
beforeEach(async () => {
  h = await startBindingHarness();
  await h.putInstance();
});
afterEach(() => h.stop());

async function created() {
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
}

describe('a deleted binding', () => {
  test('is deleted in Service Manager first, then its Secret', async () => {
    await created();
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.secret()).toBeUndefined();
    expect([h.sm.count('unbind'), h.sm.bindings.size]).toEqual([1, 0]);
    expect(h.recorder.lines().at(-1)).toBe('Normal Deleted: ServiceBinding deleted successfully');
  });

  test('stays with its Secret while Service Manager refuses, with the text', async () => {
    await created();
    h.sm.fail('unbind', [refusal(400, 'in use')], 'forever');
    await h.delete();
    await h.wait();
    expect(h.condition('Succeeded')).toBe('False DeleteFailed in use');
    expect(h.stored()?.metadata.finalizers).toEqual([finalizer]);
    expect(h.secret()).toBeDefined();
    h.sm.heal('unbind');
    await h.wait(60_000);
    expect(h.stored()).toBeUndefined();
    expect(h.secret()).toBeUndefined();
  });

  test('throttled, is a deletion in progress', async () => {
    await created();
    h.sm.fail('unbind', [throttled()]);
    await h.delete();
    expect(h.condition('Succeeded')).toBe('False DeleteInProgress ServiceBinding is being deleted');
    await h.wait(2000);
    expect(h.stored()).toBeUndefined();
  });

  test('is polled, if the deletion is asynchronous, and keeps its Secret until then', async () => {
    await created();
    h.sm.async('delete', { polls: 1 });
    await h.delete();
    expect(h.condition('Succeeded')).toBe('False DeleteInProgress ServiceBinding is being deleted');
    expect(h.secret()).toBeDefined();
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
    expect(h.secret()).toBeUndefined();
    expect(h.sm.count('unbind')).toBe(1);
  });

  test('shows why an asynchronous deletion failed, and is deleted again', async () => {
    await created();
    h.sm.async('delete', { polls: 0, state: 'failed', description: 'in use' });
    await h.delete();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False DeleteFailed ServiceBinding deletion failed: in use');
    expect(h.secret()).toBeDefined();
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

  test('is gone, if the poll fails with 500 and Service Manager does not have it any more', async () => {
    await created();
    h.sm.async('delete', { polls: 0 });
    h.sm.fail('operation', [refusal(500, 'out of order')], 'forever');
    await h.delete();
    h.sm.bindings.clear();
    await h.wait(1100);
    expect(h.stored()).toBeUndefined();
  });

  test('whose create is in progress is deleted as soon as Service Manager accepts it', async () => {
    h.sm.async('create', { polls: 100 });
    await h.create();
    await h.delete();
    expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
    for (const binding of h.sm.bindings.values()) delete binding.lastOperation;
    await h.wait(3000);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.bindings.size).toBe(0);
  });

  test('stays without credentials, and says why', async () => {
    await created();
    h.credentialsError = new Error('secrets "sap-btp-service-operator" not found');
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      'False Failed cannot delete the binding in Service Manager without credentials: secrets "sap-btp-service-operator" not found',
    );
    h.credentialsError = undefined;
    await h.wait();
    expect(h.stored()).toBeUndefined();
    expect(h.sm.bindings.size).toBe(0);
  });

  test('whose credentials do not exist names the Secret to create, and how to give the binding up', async () => {
    await created();
    const proposed = { namespace: 'btp', name: 'shop-sap-btp-service-operator' };
    h.credentialsError = new MissingCredentialsError('cannot find credentials', proposed);
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      'False Failed cannot delete the binding in Service Manager without credentials: cannot find credentials. Create the Secret btp/shop-sap-btp-service-operator with credentials of subaccount subaccount-1, or annotate the ServiceBinding with services.cloud.sap.com/deletionPolicy=Orphan to leave the binding in Service Manager',
    );
    expect(h.recorder.lines().at(-1)).toMatch(/^Warning Failed: cannot delete .* Create the Secret btp/);
  });

  test('whose credentials are refused says how to give the binding up', async () => {
    await created();
    h.sm.fail('unbind', [new ProviderError('auth', 'cannot get a token: 401')], 'forever');
    await h.delete();
    expect(h.condition('Succeeded')).toBe(
      'False DeleteFailed cannot get a token: 401. Correct the credentials, or annotate the ServiceBinding with services.cloud.sap.com/deletionPolicy=Orphan to leave the binding in Service Manager',
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
      expect(h.secret()).toBeUndefined();
      expect([h.sm.calls.length, h.sm.bindings.size]).toEqual([calls, 1]);
      const [id] = h.sm.bindings.keys();
      expect(h.recorder.lines().at(-1)).toBe(
        `Warning Orphaned: ServiceBinding removed by its deletion policy; the binding ${id} stays in Service Manager`,
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
    expect(h.sm.bindings.size).toBe(1);
  });

  test('with another deletion policy is deleted', async () => {
    await created();
    await h.patch({ metadata: { annotations: { 'services.cloud.sap.com/deletionPolicy': 'Delete' } } });
    await h.delete();
    await h.wait(100);
    expect([h.stored(), h.sm.bindings.size]).toEqual([undefined, 0]);
  });

  test.each<{ last?: Operation }>([
    {},
    { last: { type: 'create', state: 'succeeded' } },
    { last: { type: 'create', state: 'failed' } },
  ])('without an ID in the status is found in Service Manager: $last', async ({ last }) => {
    await created();
    await h.stop();
    const [kept] = h.sm.bindings.values();
    if (kept && last) kept.lastOperation = last;
    await h.patchStatus({ bindingID: null });
    await h.delete();
    await h.restart();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect([h.sm.count('unbind'), h.sm.bindings.size]).toEqual([1, 0]);
  });

  test('without an ID in the status, and unknown to Service Manager, goes without a deletion', async () => {
    await created();
    await h.stop();
    h.sm.bindings.clear();
    await h.patchStatus({ bindingID: null });
    await h.delete();
    await h.restart();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.secret()).toBeUndefined();
    expect(h.sm.count('unbind')).toBe(0);
  });

  test('without an ID in the status is deleted as often as Service Manager has it', async () => {
    await created();
    await h.stop();
    h.sm.addBinding({ id: 'b-9', serviceInstanceID: 'id-2' });
    await h.patchStatus({ bindingID: null });
    await h.delete();
    await h.restart();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect([...h.sm.bindings.keys()]).toEqual([]);
  });

  test('whose instance never existed goes without a request', async () => {
    await h.removeInstance();
    await h.create();
    await h.patch({ metadata: { finalizers: [finalizer] } });
    expect(h.condition('Succeeded')).toMatch(/^False Blocked/);
    h.credentialsError = new Error('no credentials');
    await h.delete();
    expect(h.stored()).toBeUndefined();
    expect(h.sm.calls).toEqual([]);
  });

  test('is deleted also after its instance has gone', async () => {
    await created();
    await h.removeInstance();
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.bindings.size).toBe(0);
  });

  test('does not delete a Secret of another object', async () => {
    await created();
    await h.stop();
    await h.client.mergePatch(
      { group: '', version: 'v1', kind: 'Secret', plural: 'secrets', namespaced: true },
      { namespace: 'shop', name: 'orders-secret' },
      { metadata: { ownerReferences: null } },
    );
    await h.delete();
    await h.restart();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.secret()).toBeDefined();
  });
});

describe('a binding that is gone before its create is recorded', () => {
  /** As the API server does when it began the deletion before it stored the finalizer. */
  const removeBeforeSecret = () => {
    const stop = h.client.onRequest(async ({ verb, type }) => {
      if (verb !== 'create' || type.kind !== 'Secret') return;
      stop();
      const key = { namespace: 'shop', name: 'orders-db' };
      await h.client.mergePatch(serviceBindings, key, { metadata: { finalizers: null } });
      await h.client.delete(serviceBindings, key);
    });
  };

  test('is deleted in Service Manager', async () => {
    removeBeforeSecret();
    await h.create();
    await h.wait();
    expect(h.stored()).toBeUndefined();
    expect(h.sm.count('bind')).toBe(1);
    expect(h.sm.bindings.size).toBe(0);
  });

  test('is deleted by a later attempt if the first one fails', async () => {
    removeBeforeSecret();
    h.sm.fail('unbind', [refusal(500, 'out of order')]);
    await h.create();
    await h.wait();
    expect(h.sm.bindings.size).toBe(0);
  });
});
