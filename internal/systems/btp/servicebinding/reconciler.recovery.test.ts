import { describe, expect, test } from '@jest/globals';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer } from '../metadata.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';

const h = forEachTest(startHarnessWithInstance);

const credentials = '{"password":"secret-orders-db"}';

describe('a binding that exists in Service Manager already', () => {
  const adopt = async (binding: Partial<Parameters<typeof h.sm.addBinding>[0]>) => {
    h.sm.addBinding({ id: 'b-9', credentials, ...binding });
    await h.create();
    expect(h.stored()?.status).toMatchObject({ bindingID: 'b-9', instanceID: 'id-1' });
    expect([...h.sm.bindings.keys()]).toEqual(['b-9']);
  };

  test.each([
    { type: 'create' as const, state: 'succeeded' as const, expected: /^True Created/ },
    { type: 'delete' as const, state: 'succeeded' as const, expected: /^True Deleted/ },
    { type: 'create' as const, state: 'in progress' as const, expected: /^False CreateInProgress/ },
    { type: 'delete' as const, state: 'in progress' as const, expected: /^False DeleteInProgress/ },
    { type: 'create' as const, state: 'failed' as const, expected: /^False CreateFailed/ },
    { type: 'delete' as const, state: 'failed' as const, expected: /^False DeleteFailed/ },
  ])('[B117] is adopted with its last operation: $type $state', async ({ type, state, expected }) => {
    // It would be polled.
    h.sm.fail('operation', [throttled()], 'forever');
    await adopt({ ready: state === 'succeeded', lastOperation: { id: 'op-1', type, state } });
    expect(h.condition('Succeeded')).toMatch(expected);
    expect(h.sm.calls.find(({ call }) => call === 'findBindings')?.argument).toEqual({
      name: 'orders-db',
      identity: { clusterID: 'cluster-1', namespace: 'shop', name: 'orders-db' },
    });
    if (state === 'failed') {
      await h.wait(60_000);
      expect(h.condition('Succeeded')).toMatch(expected);
      expect(h.sm.count('unbind')).toBe(0);
    }
  });

  test('[B118] is adopted without an operation, with its Secret', async () => {
    await adopt({});
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.stored()?.metadata.finalizers).toEqual([finalizer]);
    expect(h.recorder.lines()).toEqual(['Normal SecretCreated: ServiceBinding provisioned successfully']);
  });

  test.each(['alone', 'beside its own'])('of another instance is not adopted, %s', async (where) => {
    h.sm.add({ id: 'id-2', name: 'other' });
    h.sm.addBinding({ id: 'b-9', serviceInstanceID: 'id-2', credentials: '{"password":"of the other"}' });
    if (where !== 'alone') h.sm.addBinding({ id: 'b-8', credentials });
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.stored()?.status?.instanceID).toBe('id-1');
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.sm.count('bind')).toBe(where === 'alone' ? 1 : 0);
    expect(h.sm.bindings.get('b-9')).toBeDefined();
  });

  test('without an operation has failed if Service Manager says that it is not ready', async () => {
    await adopt({ ready: false });
    expect(h.condition('Succeeded')).toMatch(/^False CreateFailed/);
  });

  test('with a create in progress is polled, and then its Secret is written', async () => {
    h.sm.async('create', { polls: 2 });
    await h.create();
    await h.stop();
    await h.patchStatus({ bindingID: null, operationURL: null, operationType: null });
    await h.restart();
    expect(h.condition('Succeeded')).toMatch(/^False CreateInProgress/);
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.sm.bindings.size).toBe(1);
  });
});

test('a binding that is found without credentials is read', async () => {
  const binding = h.sm.addBinding({ id: 'b-9', credentials });
  const { findBindings } = h.sm.client;
  h.sm.client.findBindings = async (...args) =>
    (await findBindings(...args)).map(({ credentials: _, ...listed }) => listed);
  await h.create();
  expect(h.sm.calls.map(({ call }) => call)).toEqual(['findBindings', 'getBinding']);
  expect(h.secret()?.password).toBe('secret-orders-db');
  expect(h.stored()?.status?.instanceID).toBe(binding.serviceInstanceID);
});

test('a binding that is gone before its credentials are read is created again, and not ready without them', async () => {
  h.sm.addBinding({ id: 'b-9' });
  const { findBindings } = h.sm.client;
  h.sm.client.findBindings = async (...args) => {
    const found = await findBindings(...args);
    h.sm.bindings.clear();
    h.sm.client.findBindings = findBindings;
    return found;
  };
  await h.create();
  expect(h.condition('Ready')).toBeUndefined();
  expect(h.secret()).toBeUndefined();
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(h.secret()?.password).toBe('secret-orders-db');
});

describe('a create that cannot be polled', () => {
  const add = (state: 'failed' | 'in progress') =>
    h.sm.addBinding({ id: 'b-9', ready: false, lastOperation: { type: 'create', state, description: 'no' } });

  test('is followed by reads while it is in progress', async () => {
    const binding = add('in progress');
    await h.create();
    await h.wait(5500);
    expect(h.condition('Succeeded')).toBe('False CreateInProgress no');
    expect(h.sm.count('getBinding')).toBe(5);
    Object.assign(binding, { ready: true, credentials });
    await h.wait(1000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret()?.password).toBe('secret-orders-db');
  });

  test('shows again that it failed after its instance was not ready, and observes an edit', async () => {
    add('failed');
    await h.create();
    expect(h.condition('Succeeded')).toBe('False CreateFailed ServiceBinding create failed: no');
    await h.putInstance({ status: { ready: 'False' } });
    expect(h.condition('Succeeded')).toMatch(/^False Blocked/);
    await h.putInstance({ status: { ready: 'True' } });
    expect(h.condition('Succeeded')).toBe(
      'False CreateFailed ServiceBinding create failed: async operation error',
    );
    await h.patch({ spec: { secretKey: 'all' } });
    expect(h.stored()?.status?.observedGeneration).toBe(2);
    expect(h.condition('Ready')).toBe('False NotProvisioned');
    expect([h.sm.bindings.size, h.sm.count('bind'), h.sm.count('unbind')]).toEqual([1, 0, 0]);
  });
});

test('a name that is taken by a binding of another identity is a failed create', async () => {
  h.sm.addBinding({ id: 'b-8', name: 'orders-db' });
  h.sm.addBinding({ id: 'b-9', name: 'orders-db' });
  await h.create();
  expect(h.condition('Succeeded')).toBe(
    'False CreateFailed found conflicting service_binding: orders-db. Set spec.externalName to another name: the subaccount has another binding "orders-db"',
  );
  expect(h.stored()?.status?.bindingID).toBeUndefined();
});
