import { describe, expect, test } from '@jest/globals';
import { ThrottledError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createRateLimit, type LimitedCall } from './rate-limit.ts';

const signal = new AbortController().signal;

function setUp() {
  const clock = createFakeClock();
  const limit = createRateLimit({ clock, name: 'this client' });
  const enter = async () => {
    const call = await limit.enter(signal);
    call.beforeSend();
    return call;
  };
  const refusal = async () => {
    const error = await enter().then(
      (call) => call.answered(),
      (thrown: unknown) => thrown,
    );
    return error instanceof ThrottledError ? error.retryAfterMs : undefined;
  };
  /** Enters, however long it waits. */
  const enterLater = async (): Promise<LimitedCall> => {
    const entered = enter();
    await clock.advance(1000);
    return entered;
  };
  return { clock, limit, enter, enterLater, refusal };
}

test('no request is delayed before the first 429', async () => {
  const { enter, clock } = setUp();
  for (let i = 0; i < 5000; i++) (await enter()).answered();
  expect(clock.pending()).toBe(0);
});

describe('after a 429', () => {
  test('requests pause for Retry-After, and are told a delay each', async () => {
    const { clock, enter, refusal } = setUp();
    (await enter()).refused(10_000);
    expect(await refusal()).toBe(10_010);
    expect(await refusal()).toBe(10_020);
    await clock.advance(9999);
    expect(await refusal()).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await refusal()).toBeUndefined();
  });

  test('a pause of several minutes is kept, though a single delay is at most a minute', async () => {
    const { clock, enter, refusal } = setUp();
    (await enter()).refused(600_000);
    expect(await refusal()).toBe(60_000);
    await clock.advance(599_000);
    expect(await refusal()).toBeGreaterThan(0);
    await clock.advance(1000);
    expect(await refusal()).toBeUndefined();
  });

  test('one request at a time is sent until one is answered', async () => {
    const { clock, enter, refusal } = setUp();
    (await enter()).refused(1000);
    await clock.advance(1000);
    const probe = await enter();
    expect(await refusal()).toBeGreaterThan(0);
    probe.failed();
    const next = await enter();
    expect(await refusal()).toBeGreaterThan(0);
    next.answered();
    const [first, second] = [await enter(), await enter()];
    first.answered();
    second.answered();
  });

  test('without Retry-After pauses begin with a second and double', async () => {
    const { clock, enter, refusal } = setUp();
    for (const pauseMs of [1000, 2000, 4000]) {
      (await enter()).refused(undefined);
      await clock.advance(pauseMs - 1);
      expect(await refusal()).toBeGreaterThan(0);
      await clock.advance(1);
    }
    (await enter()).answered();
    (await enter()).refused(undefined);
    await clock.advance(1000);
    expect(await refusal()).toBeUndefined();
  });

  test('others for requests that were in flight begin no further pause', async () => {
    const { clock, enter, refusal } = setUp();
    const calls = [await enter(), await enter(), await enter()];
    for (const call of calls) call.refused(undefined);
    await clock.advance(1000);
    expect(await refusal()).toBeUndefined();
  });

  test('an answer to a request from before it does not end the pause', async () => {
    const { enter, refusal } = setUp();
    const [slow, refused] = [await enter(), await enter()];
    refused.refused(5000);
    slow.answered();
    expect(await refusal()).toBeGreaterThan(4000);
  });
});

describe('a request that waits for a slot when another one is answered with 429', () => {
  test('is not sent', async () => {
    const { limit, enter } = setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    expect(() => waiting.beforeSend()).toThrow(ThrottledError);
    waiting.failed();
  });

  test('is not sent beside the first one after the pause', async () => {
    const { clock, limit, enter } = setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    await clock.advance(5000);
    const probe = await enter();
    expect(() => waiting.beforeSend()).toThrow(ThrottledError);
    waiting.failed();
    probe.answered();
  });

  test('is sent when a later one was answered', async () => {
    const { clock, limit, enter } = setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    await clock.advance(5000);
    (await enter()).answered();
    expect(() => waiting.beforeSend()).not.toThrow();
  });
});

test('after few requests, a 429 changes no rate', async () => {
  const { clock, enter } = setUp();
  for (let i = 0; i < 50; i++) (await enter()).answered();
  (await enter()).refused(1000);
  await clock.advance(1000);
  (await enter()).answered();
  for (let i = 0; i < 200; i++) (await enter()).answered();
  expect(clock.pending()).toBe(0);
});

test('a wait for a turn ends with the signal', async () => {
  const { clock, limit, enter } = setUp();
  for (let i = 0; i < 300; i++) (await enter()).answered();
  (await enter()).refused(1000);
  await clock.advance(1000);
  (await enter()).answered();
  const controller = new AbortController();
  const waiting = limit.enter(controller.signal);
  controller.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  expect(clock.pending()).toBe(0);
});

/** An API with a limit of requests in each minute, from its first request on. */
function createApi(clock: ReturnType<typeof createFakeClock>, perMinute: number) {
  let windowEnd = 0;
  let count = 0;
  return (): number | undefined => {
    const now = clock.monotonic();
    if (now >= windowEnd) {
      windowEnd = now + 60_000;
      count = 0;
    }
    return ++count > perMinute ? windowEnd - now : undefined;
  };
}

const LIMIT = 120;
const MINUTES = 8;
const STEP_MS = 250;

test('a client that always has more to send learns the limit of the API, and is refused at most once in a row', async () => {
  const { clock, enter } = setUp();
  const api = createApi(clock, LIMIT);
  const results: ('ok' | 429)[] = [];
  let answered = 0;
  for (let ms = 0; ms < MINUTES * 60_000; ms += STEP_MS) {
    const attempt = enter().then(
      (call) => {
        const retryAfterMs = api();
        results.push(retryAfterMs === undefined ? 'ok' : 429);
        if (retryAfterMs === undefined) {
          answered++;
          call.answered();
        } else call.refused(retryAfterMs);
      },
      () => undefined,
    );
    await clock.advance(STEP_MS);
    void attempt;
  }
  const inRow = results.some((result, at) => result === 429 && results[at + 1] === 429);
  expect(inRow).toBe(false);
  expect(results.filter((result) => result === 429).length).toBeLessThan(8);
  expect(answered).toBeGreaterThan(0.75 * MINUTES * LIMIT);
});
