import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import type { CallbackMessage, Delivery } from '../model/task.ts';
import { createHeartbeat } from './create-heartbeat.ts';

function start(
  answer: (message: CallbackMessage, signal: AbortSignal) => Promise<Delivery> | Delivery = () => 'delivered',
) {
  const clock = createFakeClock();
  const sent: CallbackMessage[] = [];
  const aborting = new AbortController();
  const heartbeat = createHeartbeat({
    clock,
    callback: async (message, signal) => {
      sent.push(message);
      return answer(message, signal);
    },
    settings: { statusIntervalMs: 30_000, deliveryTimeoutMs: 600_000 },
    signal: aborting.signal,
  });
  return { clock, sent, heartbeat, aborting, statuses: () => sent.map(({ status }) => status) };
}

const hangUntilAborted = (_: CallbackMessage, signal: AbortSignal) =>
  new Promise<Delivery>((resolve) => signal.addEventListener('abort', () => resolve('undelivered')));

test('[R46] nothing is sent before the first attempt; then each status at once, and the last one once', async () => {
  const { clock, sent, heartbeat, statuses } = start();
  await clock.advance(60_000);
  expect(sent).toEqual([]);
  heartbeat.running('first');
  await clock.advance(1000);
  heartbeat.failed('it broke');
  await clock.advance(1000);
  heartbeat.running('second');
  await clock.advance(1000);
  expect(await heartbeat.end({ status: 'success' })).toBe('delivered');
  heartbeat.running('late');
  await clock.advance(100_000);
  expect(statuses()).toEqual(['running', 'failed', 'running', 'success']);
  expect(sent.map(({ retryID }) => retryID)).toEqual(['first', 'first', 'second', 'second']);
  expect(sent.map(({ error }) => error)).toEqual(['', 'it broke', '', '']);
  expect(sent.at(-1)?.processingDuration).toBe(63_000);
  expect(clock.pending()).toBe(0);
});

test('an attempt that ends at once is still reported as running first', async () => {
  const { heartbeat, statuses } = start();
  heartbeat.running('a');
  await heartbeat.end({ status: 'success' });
  expect(statuses()).toEqual(['running', 'success']);
});

test('[R46] running and failed are repeated in their interval', async () => {
  const { clock, heartbeat, statuses } = start();
  heartbeat.running('a');
  await clock.advance(61_000);
  heartbeat.failed('no');
  await clock.advance(61_000);
  expect(statuses()).toEqual(['running', 'running', 'running', 'failed', 'failed', 'failed']);
});

describe('a last report', () => {
  test('is repeated as it is until it is delivered', async () => {
    const answers: Delivery[] = ['delivered', 'undelivered', 'undelivered', 'undelivered'];
    const { clock, heartbeat, statuses } = start(() => answers.shift() ?? 'delivered');
    heartbeat.running('a');
    await clock.advance(10);
    const ending = heartbeat.end({ status: 'success' });
    await clock.advance(30_000);
    expect(await ending).toBe('delivered');
    expect(statuses()).toEqual(['running', 'success', 'success', 'success', 'success']);
  });

  test('is given up after its time, and never becomes another one', async () => {
    const { clock, heartbeat, statuses } = start(({ status }) =>
      status === 'running' ? 'delivered' : 'undelivered',
    );
    heartbeat.running('a');
    await clock.advance(10);
    const ending = heartbeat.end({ status: 'success' });
    await clock.advance(700_000);
    expect(await ending).toBe('undelivered');
    expect(new Set(statuses().slice(1))).toEqual(new Set(['success']));
    expect(clock.pending()).toBe(0);
  });

  test.each(['refused', 'superseded'] as const)('that is %s is not repeated', async (answer) => {
    const { clock, heartbeat, statuses } = start(({ status }) => (status === 'error' ? answer : 'delivered'));
    heartbeat.running('a');
    await clock.advance(10);
    expect(await heartbeat.end({ status: 'error', reason: 'no' })).toBe(answer);
    expect(statuses()).toEqual(['running', 'error']);
  });

  test('waits two seconds for a report that hangs, and no longer', async () => {
    const { clock, heartbeat, statuses } = start((message, signal) =>
      message.status === 'running' ? hangUntilAborted(message, signal) : 'delivered',
    );
    heartbeat.running('a');
    await clock.advance(10);
    const ending = heartbeat.end({ status: 'failed', reason: 'cancelled' });
    await clock.advance(2000);
    expect(await ending).toBe('delivered');
    expect(statuses()).toEqual(['running', 'failed']);
  });

  test('ends with the program', async () => {
    const { clock, heartbeat, aborting } = start(hangUntilAborted);
    const ending = heartbeat.end({ status: 'error', reason: 'no' });
    await clock.advance(10);
    aborting.abort();
    expect(await ending).toBe('undelivered');
    expect(clock.pending()).toBe(0);
  });
});

test('while the mothership is out of reach, old reports are dropped for the newest', async () => {
  const { clock, heartbeat, sent } = start(hangUntilAborted);
  heartbeat.running('a');
  await clock.advance(10);
  heartbeat.failed('no');
  heartbeat.running('b');
  void heartbeat.end({ status: 'error', reason: 'no' });
  await clock.advance(2000);
  expect(sent.map(({ status, retryID }) => [status, retryID])).toEqual([
    ['running', 'a'],
    ['error', 'b'],
  ]);
});

test('progress is sent after five seconds at most once, cut, with the number of the attempt', async () => {
  const { clock, heartbeat, sent } = start();
  heartbeat.progress('before the first attempt');
  heartbeat.running('a');
  await clock.advance(1000);
  for (let i = 0; i < 100; i++) heartbeat.progress(`waiting ${i} ${'x'.repeat(2000)}`);
  await clock.advance(20_000);
  expect(sent).toHaveLength(2);
  expect(sent[1]?.progress?.attempt).toBe(1);
  expect(sent[1]?.progress?.message).toMatch(/^waiting 99 x{900,}…$/);
  expect(sent[1]?.progress?.message).toHaveLength(1000);
});

test('an operation that was given to another worker is known as such', async () => {
  const { clock, heartbeat } = start(() => 'superseded');
  heartbeat.running('a');
  await clock.advance(10);
  expect(heartbeat.superseded.aborted).toBe(true);
});
