/** Polls of operations of both kinds; the tests of their reconcilers have what one of the kinds does. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../../framework/base/telemetry/telemetry.ts';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { refusal, throttled } from '../fixtures/fake-service-manager/responses.fixture.ts';
import { objectOfEachTest, testedKinds } from '../fixtures/tested-kinds.fixture.ts';
import { showProgress } from './poll.ts';

describe.each(testedKinds)('a $kind whose create is polled', ({ kind, calls, start }) => {
  const { object, h } = objectOfEachTest(start);
  beforeEach(async () => {
    h.sm.async('create', { polls: 2 });
    await h.create();
    expect(h.condition('Succeeded')).toBe(`False CreateInProgress ${kind} is being created`);
  });

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

  test('is polled again, if the operation is pending', async () => {
    const { getOperation } = h.sm.client;
    h.sm.client.getOperation = async () => ({ state: 'pending', type: 'create' });
    await h.wait(2500);
    expect(h.condition('Succeeded')).toMatch(/^False CreateInProgress/);
    h.sm.client.getOperation = getOperation;
    await h.wait(5000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
  });

  test('has not succeeded, if the poll fails and Service Manager does not have it', async () => {
    h.sm.fail('operation', [refusal(500, 'out of order')]);
    object.external.clear();
    await h.wait(1050);
    expect(h.condition('Succeeded')).toBe('False CreateFailed out of order');
  });

  test('shows that its operation is lost, if it is not ready', async () => {
    h.sm.fail('operation', [refusal(404, 'no such operation', 'not-found')]);
    await h.wait(1050);
    expect(h.condition('Succeeded')).toMatch(new RegExp(`^False CreateFailed ${kind} create failed: `));
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

describe.each(testedKinds)('a $kind whose create fails', ({ kind, calls, failureField, start }) => {
  const { object, h } = objectOfEachTest(start);
  beforeEach(async () => {
    h.sm.async('create', { polls: 1, description: 'preparing', state: 'failed', [failureField]: 'no quota' });
    await h.create();
  });

  const failed = `False CreateFailed ${kind} create failed: no quota`;
  const expectCreatedAgain = async () => {
    h.sm.sync('create');
    h.sm.sync('delete');
    await h.wait(10_000);
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    expect([h.sm.count(calls.create), object.external.size]).toEqual([2, 1]);
  };

  test('observes the generation that was sent, not that of an edit made meanwhile', async () => {
    // The edit polls at once.
    await h.patch({ spec: { parameters: { size: 2 } } });
    expect(h.condition('Succeeded')).toMatch(/^False CreateInProgress/);
    expect(h.stored()?.status?.observedGeneration).toBe(1);
    await h.wait(1000);
    expect(h.condition('Succeeded')).toBe(failed);
    expect(h.stored()?.status).toMatchObject({ observedGeneration: 1, ready: 'False' });
  });

  test('is removed before it is created again, also if another operation is in progress first', async () => {
    h.sm.fail(calls.delete, [refusal(422, 'busy', 'concurrent-operation')]);
    await h.wait(2050);
    expect([h.sm.count(calls.delete), object.external.size]).toEqual([1, 1]);
    expect(h.logLines.filter((line) => line.startsWith('reconcile failed'))).toEqual([]);
    await expectCreatedAgain();
  });

  test('is removed before it is created again, also if that is refused first', async () => {
    h.sm.fail(calls.delete, [refusal(500, 'out of order')]);
    await h.wait(2050);
    expect(h.condition('Succeeded')).toBe(failed);
    expect(h.logLines.join()).toContain('out of order');
    await expectCreatedAgain();
  });

  test('is removed before it is created again, also if its asynchronous removal fails first', async () => {
    h.sm.async('delete', { polls: 0, state: 'failed', [failureField]: 'in use' });
    await h.wait(4000);
    expect(h.condition('Succeeded')).toBe(`False DeleteFailed ${kind} deletion failed: in use`);
    expect(h.sm.count(calls.create)).toBe(1);
    await expectCreatedAgain();
  });
});

describe.each(testedKinds)('a $kind whose deletion is polled', ({ start }) => {
  test('ends when Service Manager does not have it any more, though a gateway answers for the operation', async () => {
    const { h, external } = await start();
    await h.create();
    expect(h.condition('Succeeded')).toMatch(/^True Created/);
    h.sm.async('delete', { polls: 1000 });
    await h.delete();
    await h.wait(2000);
    expect(h.condition('Succeeded')).toMatch(/^False DeleteInProgress/);
    external.clear();
    h.sm.fail('operation', [refusal(503, 'later')]);
    const before = h.sm.calls.length;
    await h.wait(1000);
    expect(h.sm.calls.slice(before).map(({ call }) => call)).toEqual(['operation']);
    h.sm.fail('operation', [refusal(404, 'no route', 'unclear')], 'forever');
    await h.wait(60_000);
    expect(h.stored()).toBeUndefined();
    await h.stop();
  });
});

describe('the first status of a create', () => {
  /** What is stored when, during calls that take so long; a negative number is time between them. */
  async function during(...callsMs: readonly number[]) {
    const clock = createFakeClock();
    const stored: number[] = [];
    const status = { store: async () => void stored.push(clock.monotonic()) };
    const whileShown = showProgress({ status, context: { clock, log: nopLogger } });
    for (const ms of callsMs) {
      if (ms < 0) {
        await clock.advance(-ms);
        continue;
      }
      const call = whileShown(() => new Promise<void>((resolve) => void clock.after(ms, resolve)));
      await clock.advance(ms);
      await call;
    }
    await clock.advance(60_000);
    return stored;
  }

  test.each([
    ['is not stored for a call that takes less than a moment', [4900], []],
    ['is stored once, during a call that takes longer', [4900, 4900, 9000], [5000]],
    ['is stored at the begin of a call after a moment', [4900, -4900, 10], [9800]],
  ])('%s', async (_, callsMs, stored) => {
    expect(await during(...callsMs)).toEqual(stored);
  });
});
