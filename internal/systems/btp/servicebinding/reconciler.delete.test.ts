/** What only bindings do when they are deleted; ../operations has the tests of both kinds. */
import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { secrets } from '../../../framework/kube/object/resource-type.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer } from '../metadata.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';
import { serviceBindings } from './resource.ts';

const h = forEachTest(startHarnessWithInstance);

async function created() {
  await h.create();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
}

describe('a deleted binding', () => {
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

  test('[B113] whose instance never existed goes without a request', async () => {
    await h.removeInstance();
    await h.createBlocked();
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
    const key = { namespace: 'shop', name: 'orders-secret' };
    await h.client.mergePatch(secrets, key, { metadata: { ownerReferences: null } });
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
