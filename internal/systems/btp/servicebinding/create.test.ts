import { describe, expect, test } from '@jest/globals';
import { NotAdmittedError } from '../../../framework/base/concurrency/limit-key.ts';
import { forEachTest } from '../../../framework/base/for-each-test.fixture.ts';
import { apiError } from '../../../framework/kube/fakes/memory-client.ts';
import { refusal } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { finalizer, staleLabel } from '../metadata.ts';
import { startHarnessWithInstance } from './fixtures/binding-harness.fixture.ts';
import { sampleBinding } from './secret/secret.fixture.ts';

const credentials = '{"password":"secret-orders-db"}';

const h = forEachTest(startHarnessWithInstance);

test('the name of its Secret is looked for once while a new binding waits for a slot of Service Manager', async () => {
  const { findBindings } = h.sm.client;
  h.sm.client.findBindings = async () => {
    h.sm.client.findBindings = findBindings;
    throw new NotAdmittedError([]);
  };
  const lists = () =>
    h.client.requests.filter(({ verb, type }) => verb === 'list' && type.kind === 'Secret').length;
  const before = lists();
  await h.create();
  await h.wait(100);
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
  expect(lists() - before).toBe(1);
});

test('the name of a Secret is free again when the binding that was to have it has another one', async () => {
  h.sm.fail('bind', [refusal(400, 'no quota')]);
  await h.create({ secretName: 'wanted' });
  expect(h.condition('Succeeded')).toMatch(/^False CreateFailed/);
  await h.patch({ spec: { secretName: 'other' } });
  await h.create({ secretName: 'wanted' }, 'second');
  await h.wait(60_000);
  expect(h.secret('other')).toMatchObject({ password: 'secret-orders-db' });
  expect(h.secret('wanted')).toMatchObject({ password: 'secret-second' });
});

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

  const replaced = () => sampleBinding({}, { labels: { [staleLabel]: 'b-9' } });

  test('with its own identity and the ID of its label is adopted, although others have the same name', async () => {
    h.sm.addBinding({ id: 'b-8', serviceInstanceID: 'id-1' });
    h.sm.addBinding({ id: 'b-9', serviceInstanceID: 'id-1', credentials });
    await h.apply(replaced());
    await h.wait(100);
    expect(h.stored()?.status).toMatchObject({ bindingID: 'b-9', instanceID: 'id-1', ready: 'True' });
  });

  test.each([
    { which: 'of another object', other: { name: 'of-another-object' } },
    { which: 'of another instance', other: { serviceInstanceID: 'id-2' } },
  ])('$which is not adopted, whatever the label says', async ({ other }) => {
    h.sm.addBinding({ id: 'b-9', serviceInstanceID: 'id-1', credentials, ...other });
    await h.apply(replaced());
    await h.wait(100);
    expect(h.condition('Ready')).toMatch(/^False NotFound/);
    expect(h.stored()?.status?.bindingID).toBeUndefined();
    expect(h.secret()).toBeUndefined();
  });

  test('of another object stays when the object with the label is deleted', async () => {
    h.sm.addBinding({ id: 'b-9', serviceInstanceID: 'id-1', credentials, name: 'of-another-object' });
    await h.apply(replaced());
    await h.wait(100);
    await h.delete();
    await h.wait(60_000);
    expect(h.stored()).toBeUndefined();
    expect(h.sm.bindings.has('b-9')).toBe(true);
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
    if (fails && verb === 'list' && type.kind === 'Secret') throw apiError(403, 'Forbidden');
  });
  await h.create();
  expect(h.condition('Succeeded')).toBeUndefined();
  expect(h.sm.calls).toEqual([]);
  fails = false;
  await h.wait();
  expect(h.condition('Succeeded')).toMatch(/^True Created/);
});
