import { describe, expect, test } from '@jest/globals';
import { ThrottledError } from '../../base/errors/errors.ts';
import { type ApiLimit, demand, fixedWindow, slidingWindow, tokenBucket } from './limited-api.fixture.ts';
import { setUp, signal } from './rate-limit.fixture.ts';
import type { LimitedCall } from './rate-limit.ts';

test('no request is delayed before the first 429', async () => {
  const { enter, clock } = await setUp();
  for (let i = 0; i < 5000; i++) (await enter()).answered();
  expect(clock.pending()).toBe(0);
});

describe('after a 429', () => {
  test('requests pause for Retry-After, and are told a delay each', async () => {
    const { clock, enter, refusal } = await setUp();
    (await enter()).refused(10_000);
    expect(await refusal()).toBe(10_001);
    expect(await refusal()).toBe(10_002);
    await clock.advance(9999);
    expect(await refusal()).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await refusal()).toBeUndefined();
  });

  test('a pause of several minutes is kept, though a single delay is at most a minute', async () => {
    const { clock, enter, refusal } = await setUp();
    (await enter()).refused(600_000);
    expect(await refusal()).toBe(60_000);
    await clock.advance(599_000);
    expect(await refusal()).toBeGreaterThan(0);
    await clock.advance(1000);
    expect(await refusal()).toBeUndefined();
  });

  test('one request at a time is sent until one is answered', async () => {
    const { clock, enter, refusal } = await setUp();
    (await enter()).refused(1000);
    await clock.advance(1000);
    const probe = await enter();
    expect(await refusal()).toBe('waits');
    probe.failed();
    const next = await enter();
    expect(await refusal()).toBe('waits');
    next.answered();
    const [first, second] = [await enter(), await enter()];
    first.answered();
    second.answered();
  });

  test('without Retry-After pauses begin with a second and double', async () => {
    const { clock, enter, refusal } = await setUp();
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
    const { clock, enter, refusal } = await setUp();
    const calls = [await enter(), await enter(), await enter()];
    for (const call of calls) call.refused(undefined);
    await clock.advance(1000);
    (await enter()).refused(undefined);
    // The second pause in a row, not the fourth.
    await clock.advance(1999);
    expect(await refusal()).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await refusal()).toBeUndefined();
  });

  test('another one for a request that was in flight makes the pause longer if its Retry-After is later', async () => {
    const { clock, enter, refusal } = await setUp();
    const [first, second, third] = [await enter(), await enter(), await enter()];
    first.refused(5000);
    second.refused(8000);
    third.refused(2000);
    await clock.advance(7999);
    expect(await refusal()).toBeGreaterThan(0);
    await clock.advance(1);
    expect(await refusal()).toBeUndefined();
  });

  test('an answer to a request from before it does not end the pause', async () => {
    const { clock, enter, refusal } = await setUp();
    const [slow, refused] = [await enter(), await enter()];
    refused.refused(5000);
    slow.answered();
    expect(await refusal()).toBeGreaterThan(4000);
    await clock.advance(5000);
    const probe = await enter();
    expect(await refusal()).toBe('waits');
    probe.answered();
  });

  test.each([
    ['is answered', (slow: LimitedCall) => slow.answered()],
    ['fails', (slow: LimitedCall) => slow.failed()],
    ['is refused', (slow: LimitedCall) => slow.refused(undefined)],
  ])('a request from before it that %s does not let another one go beside the first', async (_, ends) => {
    const { clock, enter, refusal } = await setUp();
    const [slow, refused] = [await enter(), await enter()];
    refused.refused(5000);
    await clock.advance(5000);
    await enter();
    ends(slow);
    expect(await refusal()).toBe('waits');
  });

  test('the error names the client and what it does', async () => {
    const { enter } = await setUp();
    (await enter()).refused(5000);
    await expect(enter()).rejects.toThrow(
      'this client has reached its rate limit and sends no request for a while',
    );
  });
});

describe('a request that waits for a slot when another one is answered with 429', () => {
  const delayOf = (call: LimitedCall): number | undefined => {
    try {
      call.beforeSend();
    } catch (error) {
      if (error instanceof ThrottledError) return error.retryAfterMs;
    }
    return undefined;
  };

  test('is not sent, and gets the rest of the pause as delay', async () => {
    const { limit, enter } = await setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    expect(delayOf(waiting)).toBe(5001);
    waiting.failed();
  });

  test('may be the first one after the pause', async () => {
    const { clock, limit, enter, refusal } = await setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    await clock.advance(5000);
    expect(delayOf(waiting)).toBeUndefined();
    expect(await refusal()).toBe('waits');
    waiting.answered();
    expect(await refusal()).toBeUndefined();
  });

  test('is not sent beside the first one after the pause', async () => {
    const { clock, limit, enter } = await setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    await clock.advance(5000);
    const probe = await enter();
    expect(() => waiting.beforeSend()).toThrow(ThrottledError);
    waiting.failed();
    probe.answered();
  });

  test('is sent when a later one was answered', async () => {
    const { clock, limit, enter } = await setUp();
    const [waiting, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    await clock.advance(5000);
    (await enter()).answered();
    expect(() => waiting.beforeSend()).not.toThrow();
  });
});

describe('a request that waited for a slot while others were refused and answered', () => {
  async function sentLate() {
    const { clock, limit, enter, refusal } = await setUp();
    const [late, sent] = [await limit.enter(signal), await enter()];
    sent.refused(5000);
    await clock.advance(5000);
    (await enter()).answered();
    late.beforeSend();
    return { clock, late, refusal };
  }

  test('begins a pause if it is answered with 429, since it was sent after the last one', async () => {
    const { clock, late, refusal } = await sentLate();
    late.refused(undefined);
    expect(await refusal()).toBe(1001);
    await clock.advance(1000);
    expect(await refusal()).toBeUndefined();
  });
});

describe('after the pause', () => {
  test('an answer to a request from before it does not count: the next pause is twice as long', async () => {
    const { clock, enter, refusal } = await setUp();
    const [early, refused] = [await enter(), await enter()];
    refused.refused(undefined);
    await clock.advance(1000);
    early.answered({ remaining: 0, resetMs: 60_000 });
    (await enter()).refused(undefined);
    expect(await refusal()).toBe(2001);
  });

  test('each answer allows one more request in flight', async () => {
    const { clock, enter, limit } = await setUp();
    (await enter()).refused(1000);
    await clock.advance(1000);
    const inFlight: LimitedCall[] = [];
    const waiting = Array.from({ length: 20 }, async () => {
      const call = await limit.enter(signal);
      call.beforeSend();
      inFlight.push(call);
    });
    const together: number[] = [];
    for (let round = 0; round < 4; round++) {
      await clock.advance(0);
      together.push(inFlight.length);
      for (const call of inFlight.splice(0)) call.answered();
    }
    await Promise.all(waiting);
    expect(together).toEqual([1, 2, 4, 8]);
  });

  test('one that waits for a second for its place fails', async () => {
    const { clock, enter, limit } = await setUp();
    (await enter()).refused(1000);
    await clock.advance(1000);
    await enter();
    const waiting = expect(limit.enter(signal)).rejects.toThrow(ThrottledError);
    await clock.advance(1000);
    await waiting;
    expect(clock.pending()).toBe(0);
  });

  test('one that waits for its place ends when its signal is aborted', async () => {
    const { clock, enter, limit } = await setUp();
    (await enter()).refused(1000);
    await clock.advance(1000);
    await enter();
    const stop = new AbortController();
    const waiting = limit.enter(stop.signal);
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(clock.pending()).toBe(0);
  });

  test('one that waits for its place is refused as soon as the one before is answered with 429', async () => {
    const { clock, enter, limit } = await setUp();
    (await enter()).refused(1000);
    await clock.advance(1000);
    const first = await enter();
    const waiting = limit.enter(signal);
    first.refused(10_000);
    await expect(waiting).rejects.toMatchObject({ retryAfterMs: 10_001 });
    expect(clock.pending()).toBe(0);
  });

  test('any number may be in flight after 63 answers', async () => {
    for (const [answers, result] of [
      [62, 'waits'],
      [63, undefined],
    ] as const) {
      const { clock, enter, refusal, answer } = await setUp();
      (await enter()).refused(1000);
      await clock.advance(1000);
      await answer(answers);
      for (let n = 0; n <= answers; n++) await enter();
      expect(await refusal()).toBe(result);
    }
  });
});

describe('an API that says what is left', () => {
  test('is not asked for more, those in flight included, until there is more', async () => {
    const { clock, enter, refusal } = await setUp();
    const [first, second] = [await enter(), await enter()];
    // The other one may not be counted yet.
    first.answered({ remaining: 2, resetMs: 8000 });
    expect(await refusal()).toBeUndefined();
    expect(await refusal()).toBe(8001);
    second.answered();
    await clock.advance(8000);
    expect(await refusal()).toBeUndefined();
  });

  test('and has enough delays nothing', async () => {
    const { clock, enter } = await setUp();
    for (let i = 0; i < 500; i++) (await enter()).answered({ remaining: 600 - i, resetMs: 60_000 });
    expect(clock.pending()).toBe(0);
  });
});

describe('against an API with a limit', () => {
  test('one 429 delays a thousand further requests by its pause and a fifth of their time at most', async () => {
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

  const limits: readonly ApiLimit[] = [
    { requests: 60, windowMs: 10_000 },
    { requests: 600, windowMs: 60_000 },
  ];
  const kinds = { fixedWindow, slidingWindow, tokenBucket };
  const cases = Object.entries(kinds).flatMap(([kind, create]) =>
    limits.map((limit) => ({ kind, create, ...limit })),
  );
  test.each(cases)(
    'nine tenths are used: $kind of $requests in $windowMs ms',
    async ({ create, ...limit }) => {
      const { clock, limit: own } = await setUp();
      const forMs = 4 * limit.windowMs;
      const { answered, inRow } = await demand(clock, own, create(clock, limit), { forMs });
      const share = answered / ((limit.requests * forMs) / limit.windowMs);
      expect({ inRow, isUsed: share >= 0.9 ? true : share }).toEqual({ inRow: 0, isUsed: true });
    },
  );

  test('of 100 a minute, the last of 500 requests has its answer after five windows', async () => {
    const { clock, limit } = await setUp();
    const api = fixedWindow(clock, { requests: 100, windowMs: 60_000 });
    const { answered, ms } = await demand(clock, limit, api, { answers: 500, forMs: 600_000 });
    expect(answered).toBe(500);
    expect(ms).toBeLessThanOrEqual(300_000);
  });
});
