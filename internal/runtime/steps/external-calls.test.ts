import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../base/fake-clock.ts';
import { FencedError } from '../../base/fence.ts';
import { nopLogger } from '../../base/logger.ts';
import { NotWriterError } from '../managed/writers.ts';
import { createExternalCalls, type ExternalCallsOptions } from './external-calls.ts';

const proven = async () => undefined;

/** A process that stood still: a clock of it has gone on, and no timer has fired. */
function stoppable() {
  const clock = createFakeClock();
  const stoodStill = { monotonic: 0, wall: 0 };
  return {
    stoodStill,
    clock: {
      ...clock,
      monotonic: () => clock.monotonic() + stoodStill.monotonic,
      now: () => clock.now() + stoodStill.wall,
    },
  };
}

function setup(options: Partial<ExternalCallsOptions> = {}) {
  const clock = createFakeClock();
  const { signal } = new AbortController();
  const calls = createExternalCalls({
    clock,
    log: nopLogger,
    routine: false,
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
    await calls.prove(proven);
    await clock.advance(59_999);
    const signal = await calls.write('update', async (ctx) => ctx.signal);
    expect(signal.aborted).toBe(false);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({ message: 'timed out after 60 s: calls' });
  });

  test("a library's own word for an abort is replaced by the reason", async () => {
    const { clock, calls } = setup();
    await calls.prove(proven);
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

  test('an error of its own that comes with the abort is kept', async () => {
    const { clock, calls } = setup();
    await calls.prove(proven);
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

  test('a process that must not change anything any more reads, and writes nothing', async () => {
    const fence = () => {
      throw new FencedError('this replica does not lead');
    };
    const { calls } = setup({ fence });
    await expect(calls.read('observe', async () => 'seen')).resolves.toBe('seen');
    let written = false;
    const write = calls.write('update', async () => {
      written = true;
    });
    await expect(write).rejects.toThrow('this replica does not lead');
    expect(written).toBe(false);
  });

  test('nothing is changed without a proof, and not after a failed one', async () => {
    const { calls } = setup();
    const write = () => calls.write('update', async () => 'written');
    await expect(write()).rejects.toMatchObject({ kind: 'bug' });
    await expect(calls.prove(() => Promise.reject(new Error('409')))).rejects.toThrow('409');
    await expect(write()).rejects.toMatchObject({ kind: 'bug' });
    await calls.prove(proven);
    await expect(write()).resolves.toBe('written');
  });

  test.each(['monotonic', 'wall'] as const)(
    'nothing is changed by a process that stood still since its proof, by its %s clock, not even within a call',
    async (which) => {
      const { clock, stoodStill } = stoppable();
      const { calls } = setup({ clock });
      await calls.prove(proven);
      const begun = calls.write('create', async (ctx) => {
        stoodStill[which] += 59_999;
        ctx.assertMayWrite();
        stoodStill[which] += 1;
        ctx.assertMayWrite();
      });
      await expect(begun).rejects.toThrow(NotWriterError);
      await expect(calls.write('create', proven)).rejects.toThrow(NotWriterError);
      await calls.prove(proven);
      await expect(calls.write('create', async () => 'written')).resolves.toBe('written');
    },
  );

  test('a proof counts from its beginning, since what it shows may be as old', async () => {
    const { clock, stoodStill } = stoppable();
    const { calls } = setup({ clock });
    await calls.prove(async () => {
      stoodStill.monotonic += 60_000;
    });
    await expect(calls.write('create', proven)).rejects.toThrow(NotWriterError);
  });

  test('what calls may take ends with the proof at the latest', async () => {
    const { clock, calls } = setup();
    await calls.prove(() => clock.advance(10_000));
    const signal = await calls.write('update', async (ctx) => ctx.signal);
    await clock.advance(50_000);
    expect(signal.aborted).toBe(true);
  });

  test('a call that only looks may change nothing', async () => {
    const { calls } = setup();
    await calls.prove(proven);
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
