import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createLearnedRate } from './learned-rate.ts';
import {
  type ApiLimit,
  demand,
  fixedWindow,
  type LimitedApi,
  slidingWindow,
  tokenBucket,
} from './limited-api.fixture.ts';
import { createRateLimit } from './rate-limit.ts';

/** Cycles of a length with so many answers, each ended by a 429 with a pause of a second. */
async function refusals(...cycles: readonly (readonly [answers: number, ms: number])[]) {
  const clock = createFakeClock();
  const rate = createLearnedRate({ clock });
  rate.sent();
  for (const [answers, ms] of cycles) {
    for (let i = 0; i < answers; i++) rate.answered();
    await clock.advance(ms - 1000);
    rate.refused(clock.monotonic() + 1000);
    await clock.advance(1000);
  }
  return { clock, rate };
}

describe('a rate is learned', () => {
  test.each<[string, ...(readonly [number, number])[]]>([
    ['one refusal', [600, 60_000]],
    ['refusals at different rates', [600, 60_000], [300, 60_000]],
    ['refusals after few answers', [4, 10_000], [4, 10_000]],
    ['refusals far apart', [600, 60_000], [7000, 11 * 60_000]],
    ['two at one rate, then one at another', [600, 60_000], [600, 60_000], [100, 60_000]],
  ])('not from %s', async (_, ...cycles) => {
    const { rate } = await refusals(...cycles);
    expect(rate.intervalMs()).toBe(0);
  });

  test('from two refusals in a row at about the same rate: later requests are spread slightly below it', async () => {
    const { rate } = await refusals([600, 60_000], [560, 60_000]);
    expect(rate.intervalMs()).toBeCloseTo(60_000 / 560 / 0.95);
  });

  test('and left faster and faster, since a limit may be gone', async () => {
    const { rate, clock } = await refusals([60, 10_000], [60, 10_000]);
    const shares: number[] = [];
    for (let cycle = 0; cycle < 6; cycle++) {
      shares.push(Math.round((10_000 / 60 / rate.intervalMs()) * 100) / 100);
      await clock.advance(10_000);
    }
    expect(shares).toEqual([0.95, 1.04, 1.34, 2.07, 3.8, Number.POSITIVE_INFINITY]);
  });
});

const setUp = async () => {
  const clock = createFakeClock();
  await clock.advance(5000);
  return { clock, limit: createRateLimit({ clock, name: 'this client' }) };
};

test('after one 429, a thousand further requests take at most the pause and a fifth longer', async () => {
  const once = async (refuseAt: number) => {
    const { clock, limit } = await setUp();
    let requests = 0;
    const api = () => (++requests === refuseAt ? 10_000 : undefined);
    return demand(clock, limit, api, { answers: 1100, forMs: 60_000 });
  };
  const [free, refused] = [await once(0), await once(100)];
  expect(refused.refused).toBe(1);
  expect(refused.ms).toBeLessThanOrEqual(10_000 + 1.2 * free.ms);
});

describe('under a true limit no two refusals follow one another, and nine tenths of the limit are used', () => {
  const limits: readonly ApiLimit[] = [
    { requests: 60, windowMs: 10_000 },
    { requests: 600, windowMs: 60_000 },
  ];
  const kinds = { fixedWindow, slidingWindow, tokenBucket };
  const cases = Object.entries(kinds).flatMap(([kind, create]) =>
    limits.map((limit) => ({ kind, create, ...limit })),
  );
  test.each(cases)('$kind of $requests in $windowMs ms', async ({ create, ...limit }) => {
    const { clock, limit: own } = await setUp();
    const api: LimitedApi = create(clock, limit);
    const forMs = 10 * limit.windowMs;
    const { answered, refused, inRow } = await demand(clock, own, api, { forMs });
    const share = answered / ((limit.requests * forMs) / limit.windowMs);
    expect({ inRow, isUsed: share >= 0.9 ? true : share }).toEqual({ inRow: 0, isUsed: true });
    expect(refused).toBeLessThan(answered / 5);
  });
});

test('a wait for a turn ends with the signal', async () => {
  const { clock, limit } = await setUp();
  const enter = async () => {
    const call = await limit.enter(new AbortController().signal);
    call.beforeSend();
    return call;
  };
  for (let cycle = 0; cycle < 2; cycle++) {
    for (let i = 0; i < 60; i++) (await enter()).answered();
    (await enter()).refused(10_000);
    await clock.advance(10_000);
  }
  (await enter()).answered();
  const controller = new AbortController();
  const waiting = limit.enter(controller.signal);
  controller.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  expect(clock.pending()).toBe(0);
});
