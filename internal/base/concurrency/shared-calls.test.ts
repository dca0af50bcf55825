import { describe, expect, test } from '@jest/globals';
import { createSharedCalls } from './shared-calls.ts';

const never = new AbortController().signal;
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Calls that end by `end`. */
function setUp() {
  const answers: string[] = [];
  const calls = createSharedCalls<string>({ onAnswer: (_, answer) => answers.push(answer) });
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
});
