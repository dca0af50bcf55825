import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { throttled } from '../fixtures/fake-service-manager.fixture.ts';
import { finalizer } from '../metadata.ts';
import { type BindingHarness, startBindingHarness } from './fixtures/binding-harness.fixture.ts';

let h: BindingHarness;
beforeEach(async () => {
  h = await startBindingHarness();
  await h.putInstance();
});
afterEach(() => h.stop());

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
  ])('is adopted with its last operation: $type $state', async ({ type, state, expected }) => {
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

  test('is adopted without an operation, with its Secret', async () => {
    await adopt({});
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect(h.secret()?.password).toBe('secret-orders-db');
    expect(h.stored()?.metadata.finalizers).toEqual([finalizer]);
    expect(h.recorder.lines()).toEqual(['Normal SecretCreated: ServiceBinding provisioned successfully']);
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

test('a name that is taken by a binding of another identity is a failed create', async () => {
  h.sm.addBinding({ id: 'b-8', name: 'orders-db' });
  h.sm.addBinding({ id: 'b-9', name: 'orders-db' });
  await h.create();
  expect(h.condition('Succeeded')).toBe('False CreateFailed binding with same name exists for instance');
  expect(h.stored()?.status?.bindingID).toBeUndefined();
});
