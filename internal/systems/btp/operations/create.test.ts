/** Creates of instances and bindings: refused, asynchronous, and with a response that is lost. */
import { describe, expect, test } from '@jest/globals';
import { lostResponse, refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

describe.each(testedKinds)('a create of a $kind', ({ kind, calls, idField, failureField, start }) => {
  const { object, h } = objectOfEachTest(start);

  test.each([
    { reason: 'any error', error: () => new Error('no quota') },
    { reason: 'a refusal', error: () => refusal(400, 'no quota') },
    { reason: 'an error of the broker', error: () => refusal(502, 'no quota', 'broker') },
  ])(
    '[B7] [B8] [B9] [B11] [B12] [B77] [B79] [B80] [B81] that is refused shows the text, and is retried until Service Manager accepts it: $reason',
    async ({ error }) => {
      h.sm.fail(calls.create, [error(), error()]);
      await h.create();
      expect(h.condition('Succeeded')).toBe('False CreateFailed no quota');
      expect(h.condition('Ready')).toBe('False NotProvisioned');
      expect(h.stored()?.status?.operationType).toBeUndefined();
      await h.wait(4000);
      expect(h.condition('Succeeded')).toBe(`True Created ${kind} provisioned successfully`);
      expect(h.sm.count(calls.create)).toBe(3);
    },
  );

  test('[B10] [B78] [B173] that is throttled counts as in progress', async () => {
    h.sm.fail(calls.create, [throttled()]);
    await h.create();
    expect(h.condition('Succeeded')).toBe(`False CreateInProgress ${kind} is being created`);
    await h.wait(1200);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('that is refused does not quote what is in a Secret', async () => {
    await h.putSecret('db', { password: 'hunter2' });
    h.sm.fail(calls.create, [refusal(400, 'the password hunter2 is too short')]);
    await h.create({ parametersFrom: [{ secretKeyRef: { name: 'db', key: 'parameters' } }] });
    expect(h.condition('Succeeded')).toBe('False CreateFailed the password [redacted] is too short');
    expect(h.recorder.lines().join()).not.toContain('hunter2');
  });

  test('is not tried without credentials: the condition says so, and the object can be deleted', async () => {
    h.credentialsError = new Error('cannot find credentials');
    await h.create();
    expect(h.condition('Succeeded')).toBe('False Failed cannot find credentials');
    expect(h.stored()?.metadata.finalizers ?? []).toEqual([]);
    await h.delete();
    expect(h.stored()).toBeUndefined();
  });

  describe('that is asynchronous', () => {
    test('[B13] [B83] is polled until it succeeded', async () => {
      h.sm.async('create', { polls: 2, description: 'preparing it' });
      await h.create();
      expect(h.condition('Succeeded')).toBe(`False CreateInProgress ${kind} is being created`);
      const id = [...object.external.keys()][0];
      expect(h.stored()?.status).toMatchObject({ operationType: 'create', ready: 'False', [idField]: id });
      await h.wait(1000);
      expect(h.condition('Succeeded')).toBe('False CreateInProgress preparing it');
      object.expectSecret(false);
      await h.wait(2500);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      expect(h.stored()?.status).toMatchObject({ subaccountID: 'subaccount-1', ready: 'True' });
      expect(h.stored()?.status?.operationURL).toBeUndefined();
      object.expectSecret(true);
    });

    test('[B14] [B84] and failed shows why, is removed from Service Manager, and created again', async () => {
      const failure = { errorDescription: 'internal', [failureField]: 'broker-failure' };
      h.sm.async('create', { state: 'failed', ...failure });
      await h.create();
      await h.wait(2100);
      expect(h.condition('Succeeded')).toBe(`False CreateFailed ${kind} create failed: broker-failure`);
      expect(object.external.size).toBe(0);
      h.sm.sync('create');
      await h.wait(3000);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      expect([...object.external.keys()]).toEqual([h.stored()?.status?.[idField as 'instanceID']]);
    });

    test('and fails again and again is retried more and more rarely', async () => {
      h.sm.async('create', { polls: 0, state: 'failed' });
      h.sm.async('delete', { polls: 1 });
      await h.create();
      await h.wait(600_000);
      expect(h.sm.count(calls.create)).toBeGreaterThan(8);
      expect(h.sm.count(calls.create)).toBeLessThan(20);
      expect(object.external.size).toBeLessThanOrEqual(1);
    });

    test('[B85] whose poll fails shows the text, and goes on', async () => {
      h.sm.async('create', { polls: 0 });
      h.sm.fail('operation', [refusal(500, 'out of order')]);
      await h.create();
      await h.wait(1000);
      expect(h.condition('Succeeded')).toBe('False CreateFailed out of order');
      await h.wait(5000);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      expect(h.sm.count(calls.create)).toBe(1);
    });

    test('whose operation is lost succeeded if it is ready', async () => {
      h.sm.async('create', { polls: 1 });
      await h.create();
      for (const resource of object.external.values())
        Object.assign(resource, { ready: true, credentials: '{"a":"b"}' });
      h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
      await h.wait(2000);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      object.expectSecret(true);
      expect(h.sm.count(calls.create)).toBe(1);
    });
  });

  describe('whose response is lost', () => {
    test('is found and adopted', async () => {
      h.sm.fail(calls.create, [lostResponse()]);
      await h.create();
      expect(h.condition('Succeeded')).toBe('False CreateFailed cannot create instance: no response');
      expect(h.stored()?.status?.operationType).toBe('create');
      await h.wait(2000);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      expect([h.sm.count(calls.create), h.sm.count(calls.find), object.external.size]).toEqual([1, 2, 1]);
      object.expectSecret(true);
    });

    test('keeps a deletion waiting until it can no longer take effect', async () => {
      h.sm.fail(calls.create, [lostResponse()]);
      await h.create();
      const bringBack = object.hide();
      await h.delete();
      await h.wait(2000);
      expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
      bringBack();
      await h.wait(3000);
      expect(h.stored()).toBeUndefined();
      expect(object.external.size).toBe(0);
    });
  });
});
