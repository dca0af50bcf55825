import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../time/fake-clock.ts';
import { createSharedCalls, type SharedCallsOptions } from './shared-calls.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Calls that the test ends. */
function setUp(options: SharedCallsOptions<string> = {}) {
  const answers: string[] = [];
  const calls = createSharedCalls<string>({ onAnswer: (_, answer) => answers.push(answer), ...options });
  const begun: { resolve(answer: string): void; reject(error: unknown): void; signal: AbortSignal }[] = [];
  const call = (signal: AbortSignal) =>
    new Promise<string>((resolve, reject) => {
      begun.push({ resolve, reject, signal });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  return { calls, begun, call, answers };
}

describe('shared calls', () => {
  test('one answer serves all who wait for it, and the next who asks gets another', async () => {
    const { calls, begun, call, answers } = setUp();
    const both = Promise.all([calls.join('k', call, never), calls.join('k', call, never)]);
    await settle();
    begun[0]?.resolve('a');
    expect(await both).toEqual(['a', 'a']);
    void calls.join('k', call, never).catch(() => undefined);
    await settle();
    expect(begun).toHaveLength(2);
    expect(answers).toEqual(['a']);
    calls.abandonAll('the end');
  });

  test('a failure rejects all callers that wait, and no later ones', async () => {
    const { calls, begun, call, answers } = setUp();
    const both = Promise.allSettled([calls.join('k', call, never), calls.join('k', call, never)]);
    await settle();
    begun[0]?.reject(new Error('refused'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = calls.join('k', call, never);
    await settle();
    begun[1]?.resolve('a');
    expect(await next).toBe('a');
    expect(answers).toEqual(['a']);
  });

  test('a call is aborted when all its callers are aborted', async () => {
    const { calls, begun, call, answers } = setUp();
    const [one, two] = [new AbortController(), new AbortController()];
    const both = Promise.allSettled([calls.join('k', call, one.signal), calls.join('k', call, two.signal)]);
    await settle();
    one.abort(new Error('one left'));
    await settle();
    expect(begun[0]?.signal.aborted).toBe(false);
    two.abort(new Error('two left'));
    expect(await both).toEqual([
      { status: 'rejected', reason: new Error('one left') },
      { status: 'rejected', reason: new Error('two left') },
    ]);
    expect(begun[0]?.signal.aborted).toBe(true);
    expect(answers).toEqual([]);
  });

  test('who joined a call that failed because its beginner had left begins one of his own', async () => {
    const { calls, begun, call } = setUp();
    const beginner = new AbortController();
    const first = calls.join('k', call, beginner.signal);
    const second = calls.join('k', call, never);
    await settle();
    beginner.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    begun[0]?.reject(new Error('the connection was closed'));
    await settle();
    begun[1]?.resolve('a');
    expect(await second).toBe('a');
  });

  test('who has given up already begins nothing', async () => {
    const { calls, begun, call } = setUp();
    await expect(calls.join('k', call, AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    expect(begun).toEqual([]);
  });

  test('calls that are abandoned fail with the reason, and the next caller starts a new one', async () => {
    const { calls, begun, call } = setUp();
    const abandoned = calls.join('k', call, never);
    await settle();
    calls.abandonAll('the credentials changed');
    await expect(abandoned).rejects.toMatchObject({ kind: 'transient', message: 'the credentials changed' });
    const next = calls.join('k', call, never);
    await settle();
    begun[1]?.resolve('a');
    expect(await next).toBe('a');
  });

  test('an abandoned call that ends late does not remove the call that replaced it', async () => {
    const { calls, begun } = setUp();
    const call = () =>
      new Promise<string>((resolve, reject) => begun.push({ resolve, reject, signal: AbortSignal.abort() }));
    const abandoned = calls.join('k', call, AbortSignal.timeout(1)).catch(() => undefined);
    await abandoned;
    const next = calls.join('k', call, never);
    await settle();
    begun[0]?.resolve('late');
    await settle();
    const joined = calls.join('k', call, never);
    begun[1]?.resolve('a');
    expect(await Promise.all([next, joined])).toEqual(['a', 'a']);
    expect(begun).toHaveLength(2);
  });

  test('the call learns why it was aborted', async () => {
    const { calls, begun, call } = setUp();
    const caller = new AbortController();
    const result = calls.join('k', call, caller.signal);
    await settle();
    caller.abort(new Error('left'));
    await expect(result).rejects.toThrow('left');
    expect(begun[0]?.signal.reason).toMatchObject({
      kind: 'transient',
      message: 'all callers were aborted',
    });
  });
});

describe('shared calls, of which only the next one may be joined', () => {
  const next = { joins: 'next' } as const;

  test('a caller waits for the end of the call that has started, and shares the one after it', async () => {
    const { calls, begun, call, answers } = setUp(next);
    const first = calls.join('k', call, never);
    await settle();
    const later = Promise.all([calls.join('k', call, never), calls.join('k', call, never)]);
    await settle();
    expect(begun).toHaveLength(1);
    begun[0]?.resolve('a');
    expect(await first).toBe('a');
    await settle();
    expect(begun).toHaveLength(2);
    begun[1]?.resolve('b');
    expect(await later).toEqual(['b', 'b']);
    expect(answers).toEqual(['a', 'b']);
  });

  test('the call that has started is joined while the stamp is unchanged', async () => {
    const { calls, begun, call } = setUp(next);
    let writes = 0;
    const stamp = () => writes;
    const first = calls.join('k', call, never, stamp);
    await settle();
    const same = calls.join('k', call, never, stamp);
    writes++;
    const changed = calls.join('k', call, never, stamp);
    await settle();
    begun[0]?.resolve('a');
    expect(await Promise.all([first, same])).toEqual(['a', 'a']);
    await settle();
    begun[1]?.resolve('b');
    expect(await changed).toBe('b');
    const afterwards = calls.join('k', call, never, stamp);
    await settle();
    begun[2]?.resolve('c');
    expect(await afterwards).toBe('c');
  });

  test('an aborted call is not joined, though its stamp is unchanged', async () => {
    const { calls, begun } = setUp(next);
    const call = (signal: AbortSignal) =>
      new Promise<string>((resolve, reject) => begun.push({ resolve, reject, signal }));
    const stamp = () => 0;
    const caller = new AbortController();
    const first = calls.join('k', call, caller.signal, stamp);
    await settle();
    caller.abort(new Error('left'));
    await expect(first).rejects.toThrow('left');
    const second = calls.join('k', call, never, stamp);
    begun[0]?.resolve('a');
    await settle();
    begun[1]?.resolve('b');
    expect(await second).toBe('b');
  });

  test('a call that all its callers left before its turn does not start', async () => {
    const { calls, begun, call } = setUp(next);
    const first = calls.join('k', call, never);
    await settle();
    const caller = new AbortController();
    const waiting = calls.join('k', call, caller.signal);
    await settle();
    caller.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    begun[0]?.resolve('a');
    await first;
    await settle();
    expect(begun).toHaveLength(1);
  });

  test('a failure fails the next call only if it says so', async () => {
    const { calls, begun, call } = setUp({
      ...next,
      failsNext: (error) => error instanceof Error && error.message === 'timed out',
    });
    const fail = async (message: string) => {
      const failing = calls.join('k', call, never).catch(String);
      await settle();
      const waiting = calls.join('k', call, never).catch(String);
      await settle();
      begun.at(-1)?.reject(new Error(message));
      const failure = await failing;
      await settle();
      return { failure, waiting };
    };
    const both = await fail('timed out');
    expect([both.failure, await both.waiting]).toEqual(['Error: timed out', 'Error: timed out']);
    expect(begun).toHaveLength(1);
    const one = await fail('refused');
    begun.at(-1)?.resolve('a');
    expect([one.failure, await one.waiting]).toEqual(['Error: refused', 'a']);
    expect(begun).toHaveLength(3);
  });

  test('by default no failure fails the next call', async () => {
    const { calls, begun, call } = setUp(next);
    const failing = calls.join('k', call, never).catch(String);
    await settle();
    const waiting = calls.join('k', call, never);
    begun[0]?.reject(new Error('timed out'));
    await failing;
    await settle();
    begun[1]?.resolve('a');
    expect(await waiting).toBe('a');
  });

  test('the next call starts after the spacing, or at once if the call before it took longer or failed', async () => {
    const clock = createFakeClock();
    const { calls, begun, call } = setUp({ ...next, spacing: { clock, ms: 50 } });
    const start = async () => {
      const result = calls.join('k', call, never).catch(String);
      await settle();
      return result;
    };
    void start();
    await settle();
    begun[0]?.resolve('a');
    await settle();
    void start();
    await clock.advance(49);
    await settle();
    expect(begun).toHaveLength(1);
    await clock.advance(1);
    await settle();
    expect(begun).toHaveLength(2);

    await clock.advance(50);
    begun[1]?.resolve('b');
    await settle();
    void start();
    await settle();
    expect(begun).toHaveLength(3);

    begun[2]?.reject(new Error('refused'));
    await settle();
    void start();
    await settle();
    expect(begun).toHaveLength(4);
    calls.abandonAll('the end');
  });

  test('calls in progress and calls that wait are abandoned', async () => {
    const { calls, begun, call } = setUp(next);
    const results = Promise.allSettled([
      calls.join('k', call, never),
      settle().then(() => calls.join('k', call, never)),
    ]);
    await settle();
    await settle();
    calls.abandonAll('stopped');
    const reason = expect.objectContaining({ kind: 'transient', message: 'stopped' });
    expect(await results).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(begun).toHaveLength(1);
  });
});
