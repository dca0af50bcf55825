/** Polls of operations of both kinds; the tests of their reconcilers have what one of the kinds does. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { type TestedObject, testedKinds } from '../fixtures/tested-kinds.fixture.ts';

describe.each(testedKinds)('a $kind whose create is polled', ({ kind, calls, start }) => {
  let object: TestedObject;
  let h: TestedObject['h'];
  beforeEach(async () => {
    object = await start();
    ({ h } = object);
    h.sm.async('create', { polls: 2 });
    await h.create();
    expect(h.condition('Succeeded')).toBe(`False CreateInProgress ${kind} is being created`);
  });
  afterEach(() => h.stop());

  test('is polled once in each interval, and has no operation afterwards', async () => {
    await h.wait(2500);
    expect(h.sm.count('operation')).toBe(2);
    await h.wait(60_000);
    expect(h.sm.count('operation')).toBe(3);
    expect(h.condition('Succeeded')).toBe(`True Created ${kind} provisioned successfully`);
    expect(h.stored()?.status).toMatchObject({
      ready: 'True',
      subaccountID: 'subaccount-1',
      observedGeneration: 1,
    });
    expect(h.stored()?.status?.operationURL).toBeUndefined();
    expect(h.stored()?.status?.operationType).toBeUndefined();
  });

  test('is polled when Service Manager allows, if a poll is throttled', async () => {
    h.sm.fail('operation', [throttled(20_000)]);
    await h.wait(15_000);
    expect(h.sm.count('operation')).toBe(1);
    expect(h.condition('Succeeded')).toBe(`False CreateInProgress ${kind} is being created`);
    await h.wait(10_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('keeps the text of the last poll that had one', async () => {
    const before = h.client.requests.length;
    await h.wait(1500);
    expect(h.client.requests.slice(before).filter(({ verb }) => verb === 'update')).toEqual([]);
  });

  test.each(['https://example.com/x', '/v1/platforms/p', 'x'])(
    'whose status has the operation URL %s is observed without a call to it',
    async (operationURL) => {
      await h.stop();
      for (const resource of object.external.values()) resource.ready = true;
      await h.patchStatus({ operationURL });
      await h.restart();
      await h.wait();
      expect(h.sm.count('operation')).toBe(0);
      expect(h.condition('Succeeded')).toMatch(/^True Created/);
      expect(h.sm.count(calls.create)).toBe(1);
    },
  );
});
