import { describe, expect, test } from '@jest/globals';
import { ProviderError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createTokenSource, type Grant } from './token-source.ts';

const never = new AbortController().signal;

/** A token endpoint whose responses the test controls. */
function createGrants() {
  const asked: { signal: AbortSignal; resolve(grant: Grant): void; reject(error: unknown): void }[] = [];
  const grant = (signal: AbortSignal) =>
    new Promise<Grant>((resolve, reject) => {
      asked.push({ signal, resolve, reject });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  return { asked, grant };
}

function setUp(random = 0) {
  const clock = createFakeClock();
  const source = createTokenSource({ clock, random: () => random, maxBytes: 64 * 1024 });
  let number = 0;
  const counting = async (): Promise<Grant> => ({ token: `t${++number}`, expiresInSeconds: 100 });
  return { clock, source, counting, grants: () => number };
}

describe('createTokenSource', () => {
  test('the masks of tokens count towards the memory of all', async () => {
    const { source } = setUp();
    const kept = {} as NonNullable<Grant['kept']>;
    for (let number = 0; number < 40; number++)
      await source.token(`${number}`, async () => ({ token: 't', kept }), never);
    expect([source.holds('0'), source.holds('39')]).toEqual([false, true]);
  });

  test.each([
    [0, 79_999, 80_001],
    [0.999, 71_999, 72_100],
  ])(
    'replaces a token at 80 % of its life, up to a tenth earlier (random %d)',
    async (random, before, after) => {
      const { clock, source, counting } = setUp(random);
      expect(await source.token('a', counting, never)).toBe('t1');
      await clock.advance(before);
      expect(await source.token('a', counting, never)).toBe('t1');
      await clock.advance(after - before);
      expect(await source.token('a', counting, never)).toBe('t2');
    },
  );

  test('counts a token’s life from when it was asked for, since the answer may take long', async () => {
    const { clock, source, counting } = setUp();
    const { asked, grant } = createGrants();
    const first = source.token('a', grant, never);
    await clock.advance(50_000);
    asked[0]?.resolve({ token: 'slow', expiresInSeconds: 100 });
    expect(await first).toBe('slow');
    await clock.advance(31_000);
    expect(await source.token('a', counting, never)).toBe('t1');
  });

  test('drops a token, but not the one that took its place', async () => {
    const { source, counting, grants } = setUp();
    await source.token('a', counting, never);
    source.drop('a', 't1');
    expect(await source.token('a', counting, never)).toBe('t2');
    source.drop('a', 't1');
    expect(await source.token('a', counting, never)).toBe('t2');
    expect(grants()).toBe(2);
  });

  describe('what any host that credentials lead to may answer is bounded', () => {
    const long = (length: number) => async (): Promise<Grant> => ({
      token: 'x'.repeat(length),
      expiresInSeconds: 100,
    });

    test('the bytes of all tokens: the least recently used are forgotten', async () => {
      const { source } = setUp();
      for (const id of ['a', 'b']) await source.token(id, long(1000), never);
      for (let n = 0; n < 100; n++) {
        await source.token('a', long(1000), never);
        await source.token(`n${n}`, long(1000), never);
      }
      expect([source.holds('a'), source.holds('b')]).toEqual([true, false]);
    });

    test('the share of one token, which is used and not kept', async () => {
      const { source } = setUp();
      await source.token('a', long(1000), never);
      expect(await source.token('b', long(64_000), never)).toHaveLength(64_000);
      expect([source.holds('a'), source.holds('b')]).toEqual([true, false]);
    });

    test('its lifetime: a day, whatever it is said to be', async () => {
      const { clock, source, counting } = setUp();
      const forever = async (): Promise<Grant> => ({ token: 't', expiresInSeconds: 30 * 365 * 86_400 });
      await source.token('a', forever, never);
      await clock.advance(0.79 * 86_400_000);
      expect(await source.token('a', counting, never)).toBe('t');
      await clock.advance(0.22 * 86_400_000);
      expect(source.holds('a')).toBe(false);
      expect(await source.token('a', counting, never)).toBe('t1');
    });

    test.each([0, -5])('its lifetime: ten seconds at least, not %d', async (expiresInSeconds) => {
      const { clock, source, counting, grants } = setUp();
      const short = async () => ({ ...(await counting()), expiresInSeconds });
      await source.token('a', short, never);
      await clock.advance(7999);
      expect(await source.token('a', short, never)).toBe('t1');
      expect([grants(), source.holds('a')]).toEqual([1, true]);
      await clock.advance(2001);
      expect(source.holds('a')).toBe(false);
    });
  });

  test('a failure rejects all callers that wait, and is not cached', async () => {
    const { source, counting } = setUp();
    const failing = async () => {
      throw new ProviderError('auth', 'refused');
    };
    const results = await Promise.allSettled([
      source.token('a', failing, never),
      source.token('a', failing, never),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await source.token('a', counting, never)).toBe('t1');
  });

  test('refused credentials are not outlasted by the token they once brought', async () => {
    const { clock, source, counting } = setUp();
    await source.token('a', counting, never);
    await clock.advance(90_000);
    const refusing = async () => {
      throw new ProviderError('auth', 'refused');
    };
    await expect(source.token('a', refusing, never)).rejects.toThrow('refused');
  });

  test.each(['transient', 'throttled'] as const)(
    'a token serves to its end while the token endpoint has a failure that passes (%s)',
    async (kind) => {
      const { clock, source, counting } = setUp();
      await source.token('a', counting, never);
      let asked = 0;
      const failing = async () => {
        asked++;
        throw new ProviderError(kind, 'not now');
      };
      await clock.advance(90_000);
      for (let i = 0; i < 3; i++) expect(await source.token('a', failing, never)).toBe('t1');
      await clock.advance(4999);
      expect(await source.token('a', failing, never)).toBe('t1');
      expect(asked).toBe(1);
      await clock.advance(1);
      expect(await source.token('a', failing, never)).toBe('t1');
      expect(asked).toBe(2);
      await clock.advance(5000);
      await expect(source.token('a', failing, never)).rejects.toThrow('not now');
    },
  );

  test('a grant is aborted when all its callers are aborted, and the next caller starts a new one', async () => {
    const { source } = setUp();
    const { asked, grant } = createGrants();
    const controller = new AbortController();
    const waiting = source.token('a', grant, controller.signal);
    await Promise.resolve();
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect(asked[0]?.signal.aborted).toBe(true);
    const next = source.token('a', grant, never);
    await Promise.resolve();
    asked[1]?.resolve({ token: 'second' });
    expect(await next).toBe('second');
  });

  test('who waits on another’s grant begins one of their own where that one left and its connection with it', async () => {
    const { source } = setUp();
    const first = createGrants();
    const second = createGrants();
    const controller = new AbortController();
    const leaving = source.token('a', first.grant, controller.signal);
    const staying = source.token('a', second.grant, never);
    await Promise.resolve();
    controller.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    expect(first.asked[0]?.signal.aborted).toBe(false);
    first.asked[0]?.reject(new ProviderError('transient', 'the connections are closed'));
    await createFakeClock().advance(0);
    second.asked[0]?.resolve({ token: 'own' });
    expect(await staying).toBe('own');
  });

  test('forgets all at the end, and keeps nothing that comes after', async () => {
    const { source, counting, grants } = setUp();
    const { asked, grant } = createGrants();
    await source.token('a', counting, never);
    const waiting = source.token('b', grant, never);
    await Promise.resolve();
    source.clear();
    await expect(waiting).rejects.toThrow('the client was closed');
    expect(asked[0]?.signal.aborted).toBe(true);
    await source.token('a', counting, never);
    expect(grants()).toBe(2);
  });
});
