import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { apiError } from '../../../kube/fakes/memory-client.ts';
import { finalizer, staleLabel } from '../metadata.ts';
import { type BindingHarness, startBindingHarness } from './fixtures/binding-harness.fixture.ts';
import { sampleBinding } from './secret/secret.fixture.ts';

const credentials = '{"password":"secret-orders-db"}';

let h: BindingHarness;
beforeEach(async () => {
  h = await startBindingHarness();
  await h.putInstance();
});
afterEach(() => h.stop());

describe('a binding that is found in Service Manager', () => {
  test('gets a finalizer, so that it is deleted there as well', async () => {
    h.sm.addBinding({ id: 'b-9', credentials });
    await h.create();
    expect(h.stored()?.metadata.finalizers).toEqual([finalizer]);
    await h.delete();
    await h.wait(100);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.bindings.size).toBe(0);
  });

  test('has no Secret before it has credentials', async () => {
    h.sm.addBinding({ id: 'b-9', ready: false, lastOperation: { type: 'create', state: 'in progress' } });
    await h.create();
    await h.wait(3000);
    expect(h.condition('Succeeded')).toMatch(/^False CreateInProgress/);
    expect(h.secret()).toBeUndefined();
  });

  test('has its Secret although it cannot be deleted', async () => {
    const lastOperation = { type: 'delete', state: 'failed' } as const;
    h.sm.addBinding({ id: 'b-9', ready: false, credentials, lastOperation });
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/^False DeleteFailed/);
    expect(h.secret()).toMatchObject({ password: 'secret-orders-db' });
  });

  test('with a change in progress is polled until its end', async () => {
    const lastOperation = { id: 'op-1', type: 'update', state: 'in progress' } as const;
    h.sm.addBinding({ id: 'b-9', credentials, lastOperation });
    let state: 'in progress' | 'succeeded' = 'in progress';
    h.sm.client.getOperation = async () => ({ type: 'update', state });
    await h.create();
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^False UpdateInProgress/);
    state = 'succeeded';
    await h.wait(1100);
    expect(h.condition('Succeeded')).toMatch(/^True Updated/);
    expect(h.stored()?.status?.operationURL).toBeUndefined();
  });

  test('by the ID of its label keeps that ID, and its name is not looked up', async () => {
    h.sm.addBinding({ id: 'b-8', name: 'orders-db' });
    h.sm.addBinding({ id: 'b-9', name: 'renamed', credentials });
    const replaced = sampleBinding({}, { labels: { [staleLabel]: 'b-9' } });
    await h.apply(replaced);
    await h.wait(100);
    expect(h.stored()?.status).toMatchObject({ bindingID: 'b-9', instanceID: 'id-1', ready: 'True' });
    expect(h.sm.count('findBindings')).toBe(0);
  });
});

test('an asynchronous create that failed without a description shows that of the error', async () => {
  h.sm.async('create', { state: 'failed', errorDescription: 'no quota' });
  await h.create();
  await h.wait(2100);
  expect(h.condition('Succeeded')).toBe('False CreateFailed ServiceBinding create failed: no quota');
});

test('a Secret name that cannot be checked is no reason to choose another one', async () => {
  let fails = true;
  h.client.onRequest(({ verb, type }) => {
    if (fails && verb === 'get' && type.kind === 'Secret') throw apiError(403, 'Forbidden');
  });
  await h.create();
  expect(h.condition('Succeeded')).toBeUndefined();
  expect(h.sm.calls).toEqual([]);
  fails = false;
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});
