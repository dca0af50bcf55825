import { describe, expect, test } from '@jest/globals';
import { NotLeaderError, noFence, PostponedError } from '../../base/concurrency/fence.ts';
import { createDeps } from '../../base/deps.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createExternalCalls, type ExternalCallsOptions } from './external-calls.ts';

function setup(options: Partial<ExternalCallsOptions> = {}) {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const calls = createExternalCalls({
    ...createDeps({ clock }),
    isLowPriority: false,
    assertMayWrite: noFence,
    timeoutMs: 60_000,
    signal,
    doing: 'calls',
    ...options,
  });
  return { clock, calls };
}

describe('external calls', () => {
  test('all calls share one deadline, which begins with the first', async () => {
    const { clock, calls } = setup();
    await clock.advance(50_000);
    await calls.read('observe', async () => 'quick');
    await clock.advance(59_999);
    const signal = await calls.write('update', async (ctx) => ctx.signal);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({ message: 'timed out after 60 s: calls' });
  });

  test("a library's own word for an abort is replaced by the reason", async () => {
    const { clock, calls } = setup();
    const call = calls.write(
      'update',
      ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () =>
            reject(new DOMException('This operation was aborted', 'AbortError')),
          ),
        ),
    );
    call.catch(() => undefined);
    await clock.advance(60_000);
    await expect(call).rejects.toThrow('timed out after 60 s: calls');
  });

  test('an abort by the library itself, before the deadline, is an error of its own', async () => {
    const { calls } = setup();
    const aborted = new DOMException('The peer closed the stream', 'AbortError');
    await expect(calls.read('observe', () => Promise.reject(aborted))).rejects.toBe(aborted);
  });

  test('an error of its own that comes with the abort is kept', async () => {
    const { clock, calls } = setup();
    const call = calls.write(
      'update',
      ({ signal }) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('503')))),
    );
    call.catch(() => undefined);
    await clock.advance(60_000);
    await expect(call).rejects.toThrow('503');
  });

  test('no call begins after the end', async () => {
    const { calls } = setup({ signal: AbortSignal.abort(new Error('no longer the leader')) });
    let called = false;
    const call = async () => {
      called = true;
    };
    await expect(calls.write('update', call)).rejects.toThrow('no longer the leader');
    await expect(calls.read('observe', call)).rejects.toThrow('no longer the leader');
    expect(called).toBe(false);
  });

  test('a call that changes something asks the guard first, and can ask it again', async () => {
    let refused: Error | undefined = new NotLeaderError('this replica does not lead');
    const assertMayWrite = () => {
      if (refused) throw refused;
    };
    const { calls } = setup({ assertMayWrite });
    await expect(calls.read('observe', async () => 'seen')).resolves.toBe('seen');
    let written = false;
    const write = () =>
      calls.write('update', async (ctx) => {
        written = true;
        refused = new PostponedError('conflict', 'the object was changed');
        ctx.assertMayWrite();
      });
    await expect(write()).rejects.toThrow('this replica does not lead');
    expect(written).toBe(false);
    refused = undefined;
    await expect(write()).rejects.toThrow('the object was changed');
  });

  test('the deadline can be started before the first call', async () => {
    const { clock, calls } = setup();
    calls.begin();
    await clock.advance(10_000);
    const signal = await calls.write('update', async (ctx) => ctx.signal);
    await clock.advance(50_000);
    expect(signal.aborted).toBe(true);
  });

  test('a read call may not write', async () => {
    const { calls } = setup();
    await expect(calls.read('observe', async (ctx) => ctx.assertMayWrite())).rejects.toThrow(
      'only create, update and delete',
    );
  });

  test('disposing ends the deadline', async () => {
    const { clock, calls } = setup();
    await calls.read('observe', async () => undefined);
    calls[Symbol.dispose]();
    expect(clock.pending()).toBe(0);
  });
});
