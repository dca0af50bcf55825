import { describe, expect, test } from '@jest/globals';
import type { FakeClock } from '../../base/time/fake-clock.ts';
import { setUp } from './rate-limit.fixture.ts';

test('after few requests, a 429 changes no rate', async () => {
  const { clock, enter, answer } = await setUp();
  // The request that is refused counts as well.
  await answer(98);
  (await enter()).refused(1000);
  await clock.advance(1000);
  await answer(200);
  expect(clock.pending()).toBe(0);
});

describe('after a 429 for one of many requests', () => {
  /** 4.5 requests per second, that is 90 % of 300 in a minute: one in 222 ms. */
  async function refusedAt300(pauseMs: number) {
    const given = await setUp();
    await given.answer(299);
    (await given.enter()).refused(pauseMs);
    await given.clock.advance(pauseMs);
    return given;
  }

  test('later ones are spread evenly, below the rate of those', async () => {
    const { answer, sendTimes } = await refusedAt300(30_000);
    await answer(1);
    expect(await sendTimes(4)).toEqual([222, 444, 667, 889]);
  });

  test('one that would wait for more than a second fails at once, each with a delay of its own', async () => {
    const { answer, sendTimes } = await refusedAt300(30_000);
    await answer(1);
    expect(await sendTimes(6)).toEqual([222, 444, 667, 889, -1333, -1556]);
  });

  test('one that would wait for a second is sent', async () => {
    // Half of 480 in a minute: one in 250 ms.
    const { clock, enter, answer, sendTimes } = await setUp();
    await answer(479);
    (await enter()).refused(120_000);
    await clock.advance(120_000);
    await answer(1);
    expect(await sendTimes(5)).toEqual([250, 500, 750, 1000, -1500]);
  });

  test('a hundred requests are enough to learn the rate', async () => {
    const { clock, enter, answer, sendTimes } = await setUp();
    await answer(99);
    (await enter()).refused(10_000);
    await clock.advance(10_000);
    await answer(1);
    expect(await sendTimes(1)).toEqual([667]);
  });

  test('only the requests of the minute that ends with the pause count', async () => {
    const { clock, enter, answer, sendTimes } = await setUp();
    await answer(200);
    await clock.advance(31_000);
    await answer(149);
    // 150 in the last 30 seconds: one in 444 ms.
    (await enter()).refused(30_000);
    await clock.advance(30_000);
    await answer(1);
    expect(await sendTimes(2)).toEqual([444, 889]);
  });

  test('a pause of a minute is not longer than the window', async () => {
    const { answer, sendTimes } = await refusedAt300(60_000);
    await answer(1);
    expect(await sendTimes(1)).toEqual([222]);
  });

  test('a further 429 makes the rate lower, also after few requests', async () => {
    const { clock, enter, answer, sendTimes } = await refusedAt300(30_000);
    // 90 % of 4.5 per second: one in 247 ms.
    (await enter()).refused(60_000);
    await clock.advance(60_000);
    await answer(1);
    expect(await sendTimes(2)).toEqual([247, 494]);
  });

  test('the rate grows by 5 % a minute, so that a higher limit is found', async () => {
    const { clock, answer, sendTimes } = await refusedAt300(30_000);
    await clock.advance(20 * 60_000);
    await answer(1);
    const ms = 60_000 / 270 / 1.05 ** 20;
    expect(await sendTimes(2)).toEqual([Math.round(ms), Math.round(2 * ms)]);
  });
});

test('a wait for a turn ends with the signal', async () => {
  const { clock, limit, enter } = await setUp();
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
function createApi(clock: FakeClock, perMinute: number) {
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
  const { clock, enter } = await setUp();
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
