import { describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { exponentialBackoff } from './exponential-backoff.ts';
import { retry } from './retry.ts';

const errBoom = new Error('boom');
const never = new AbortController().signal;

function setUp() {
  const clock = createFakeClock();
  const attempts: number[] = [];
  const failing = (times: number) => async () => {
    attempts.push(clock.monotonic());
    if (attempts.length <= times) throw errBoom;
    return 'done';
  };
  const optionsOf = (signal: AbortSignal, isRetryable: (error: unknown) => boolean = () => true) => ({
    clock,
    signal,
    policy: exponentialBackoff({ random: () => 0.5, log: nopLogger, backoffMs: 100, isRetryable }),
  });
  return { clock, attempts, failing, optionsOf };
}

describe('a call with exponential backoff', () => {
  test('waits twice as long before each further attempt, by the given clock', async () => {
    const { clock, attempts, failing, optionsOf } = setUp();
    const result = retry(failing(2), optionsOf(never));
    await clock.advance(1000);
    await expect(result).resolves.toBe('done');
    expect(attempts).toEqual([0, 100, 300]);
    expect(clock.pending()).toBe(0);
  });

  test('gives up after the third attempt with its own error', async () => {
    const { clock, attempts, failing, optionsOf } = setUp();
    const result = expect(retry(failing(9), optionsOf(never))).rejects.toBe(errBoom);
    await clock.advance(10_000);
    await result;
    expect(attempts).toHaveLength(3);
  });

  test('does not repeat what is not retryable', async () => {
    const { attempts, failing, optionsOf } = setUp();
    await expect(
      retry(
        failing(1),
        optionsOf(never, (error) => error !== errBoom),
      ),
    ).rejects.toBe(errBoom);
    expect(attempts).toHaveLength(1);
  });

  test('ends its wait with the signal, whose reason it throws, and leaves no timer', async () => {
    const { clock, attempts, failing, optionsOf } = setUp();
    const controller = new AbortController();
    const reason = new Error('enough');
    const result = expect(retry(failing(9), optionsOf(controller.signal))).rejects.toBe(reason);
    await clock.advance(50);
    controller.abort(reason);
    await result;
    expect(attempts).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('keeps a result that came although the signal was aborted meanwhile: what was done was done', async () => {
    const { optionsOf } = setUp();
    const controller = new AbortController();
    const attempt = async () => {
      controller.abort(new Error('enough'));
      return 'done';
    };
    await expect(retry(attempt, optionsOf(controller.signal))).resolves.toBe('done');
  });
});

test('an attempt that fails after the signal was aborted is not repeated, and its own error is thrown', async () => {
  const { clock } = setUp();
  const controller = new AbortController();
  let asked = 0;
  const policy = () => {
    asked++;
    return 0;
  };
  const attempt = async () => {
    controller.abort(new Error('enough'));
    throw errBoom;
  };
  await expect(retry(attempt, { clock, signal: controller.signal, policy })).rejects.toBe(errBoom);
  expect(asked).toBe(0);
});

describe('exponential backoff', () => {
  const lines: unknown[] = [];
  const log = { ...nopLogger, debug: (...line: unknown[]) => void lines.push(line) };
  const options = { log, backoffMs: 100, isRetryable: () => true };

  test.each([
    [0, 80],
    [1, 120],
  ])('with the random value %p the first delay is %p ms', (random, delayMs) => {
    expect(exponentialBackoff({ ...options, random: () => random })(errBoom, 0)).toBeCloseTo(delayMs);
  });

  test('each retry is logged with its number and its cause, and a final error is not', async () => {
    const policy = exponentialBackoff({ ...options, random: () => 0.5 });
    lines.length = 0;
    for (const retries of [0, 1, 2]) await policy(errBoom, retries);
    expect(lines).toEqual([
      ['repeating an external call', { attempt: 1, error: 'boom' }],
      ['repeating an external call', { attempt: 2, error: 'boom' }],
    ]);
  });
});

test('a policy gets each error with the number of retries before it, and its delay may be zero', async () => {
  const { clock, attempts, failing } = setUp();
  const asked: [unknown, number][] = [];
  const policy = (error: unknown, retries: number) => {
    asked.push([error, retries]);
    return 0;
  };
  const seen: number[] = [];
  const attempt = failing(2);
  const result = retry(
    (retries) => {
      seen.push(retries);
      return attempt();
    },
    { clock, policy },
  );
  await expect(result).resolves.toBe('done');
  expect(asked).toEqual([
    [errBoom, 0],
    [errBoom, 1],
  ]);
  expect([seen, attempts]).toEqual([
    [0, 1, 2],
    [0, 0, 0],
  ]);
});
