import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/fake-clock.ts';
import { nopLogger } from '../../base/logger.ts';
import { retrying } from './retry.ts';

const errBoom = new Error('boom');
const never = new AbortController().signal;
const always = () => true;

function setUp() {
  const clock = createFakeClock();
  const attempts: number[] = [];
  const failing = (times: number) => async () => {
    attempts.push(clock.monotonic());
    if (attempts.length <= times) throw errBoom;
    return 'done';
  };
  return { clock, attempts, failing, retries: { clock, random: () => 0.5, log: nopLogger, backoffMs: 100 } };
}

describe('retrying', () => {
  test('waits twice as long before each further attempt, by the given clock', async () => {
    const { clock, attempts, failing, retries } = setUp();
    const result = retrying(retries, never, always, failing(2));
    await clock.advance(1000);
    await expect(result).resolves.toBe('done');
    expect(attempts).toEqual([0, 100, 300]);
    expect(clock.pending()).toBe(0);
  });

  test('gives up after the third attempt with that one’s own error', async () => {
    const { clock, attempts, failing, retries } = setUp();
    const result = expect(retrying(retries, never, always, failing(9))).rejects.toBe(errBoom);
    await clock.advance(10_000);
    await result;
    expect(attempts).toHaveLength(3);
  });

  test('does not repeat what may not pass', async () => {
    const { attempts, failing, retries } = setUp();
    await expect(retrying(retries, never, (error) => error !== errBoom, failing(1))).rejects.toBe(errBoom);
    expect(attempts).toHaveLength(1);
  });

  test('ends its wait with the signal, whose reason it throws, and leaves no timer', async () => {
    const { clock, attempts, failing, retries } = setUp();
    const controller = new AbortController();
    const reason = new Error('enough');
    const result = expect(retrying(retries, controller.signal, always, failing(9))).rejects.toBe(reason);
    await clock.advance(50);
    controller.abort(reason);
    await result;
    expect(attempts).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });

  test('keeps a result that came although the signal was aborted meanwhile: what was done was done', async () => {
    const { retries } = setUp();
    const controller = new AbortController();
    const attempt = async () => {
      controller.abort(new Error('enough'));
      return 'done';
    };
    await expect(retrying(retries, controller.signal, always, attempt)).resolves.toBe('done');
  });
});
