import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../base/time/clock.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createTurns } from './turns.ts';
import { type SampleJob, url } from './worker-pool.fixture.ts';
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const never = new AbortController().signal;
let pool: WorkerPool<SampleJob, unknown> | undefined;
afterEach(() => pool?.close());

function open(options: Partial<WorkerPoolOptions> = {}) {
  let started = 0;
  const entry = async () => {
    started++;
    return url;
  };
  pool = createWorkerPool({ clock: systemClock, name: 'samples', entry, ...options });
  const own = pool;
  const run = (job: SampleJob, group = 'a', signal = never) => own.run(job, { group, signal });
  const echo = (value: unknown, group = 'a') => run({ do: 'echo', value }, group);
  return { pool, run, echo, started: () => started };
}

test('jobs run in a process, which is started for the first one and kept for the next', async () => {
  const { echo, started } = open();
  expect(started()).toBe(0);
  expect(await echo({ a: [1, 'b'] })).toEqual({ a: [1, 'b'] });
  expect(await Promise.all([echo(1), echo(2)])).toEqual([1, 2]);
  expect(started()).toBe(1);
});

test('an idle process ends after its time', async () => {
  const clock = createFakeClock();
  const { echo, started } = open({ clock });
  await echo(1);
  await clock.advance(30_000);
  expect(clock.pending()).toBe(0);
  await echo(2);
  expect(started()).toBe(2);
});

test('a process that died without a job costs the next one nothing', async () => {
  const { run, echo, started } = open({ deadlineMs: 20_000 });
  await run({ do: 'exit later' });
  await new Promise((done) => setTimeout(done, 500));

  const began = performance.now();
  expect(await echo(1)).toBe(1);
  expect(performance.now() - began).toBeLessThan(10_000);
  expect(started()).toBe(2);
});

describe('a job is ended with its process, and the next one is done', () => {
  test.each<[string, SampleJob, Partial<WorkerPoolOptions>, object]>([
    ['an endless loop', { do: 'loop' }, { deadlineMs: 100 }, { kind: 'transient', limit: 'time' }],
    [
      'too much memory',
      { do: 'allocate' },
      { heapMb: 32, deadlineMs: 60_000 },
      { kind: 'terminal', limit: 'memory' },
    ],
    // V8 ends the whole process for these, whichever of its threads they are in.
    [
      'one large object beyond the limit',
      { do: 'allocate at once' },
      { heapMb: 64, deadlineMs: 60_000 },
      { kind: 'terminal', limit: 'memory' },
    ],
    [
      'a table that grows beyond the limit',
      { do: 'grow a map' },
      { heapMb: 64, deadlineMs: 60_000 },
      { kind: 'terminal', limit: 'memory' },
    ],
    [
      'memory outside of the heap',
      { do: 'buffers' },
      { heapMb: 32, deadlineMs: 60_000 },
      { kind: 'terminal', limit: 'memory' },
    ],
    ['an end of the process', { do: 'exit' }, {}, { kind: 'transient' }],
  ])('%s', async (_, job, options, error) => {
    const { run, echo, started } = open(options);
    await expect(run(job)).rejects.toMatchObject(error);
    expect(await echo('next')).toBe('next');
    expect(started()).toBe(2);
  });
});

test('a result that is too large is refused where it was made, and the process goes on', async () => {
  const { echo, started } = open({ maxResultBytes: 1000 });
  await expect(echo('x'.repeat(2000))).rejects.toMatchObject({ kind: 'terminal', limit: 'result' });
  expect(await echo('x'.repeat(900))).toHaveLength(900);
  expect(started()).toBe(1);
});

test('an error of a job is a bug, whose text is not told: it may quote the input', async () => {
  const { run, echo } = open();
  const error = await run({ do: 'throw' }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ kind: 'bug', message: 'a job of samples failed: RangeError' });
  expect(await echo(1)).toBe(1);
});

test('a job that is abandoned while it waits is not done', async () => {
  const { run, echo } = open();
  const stop = new AbortController();
  const first = echo(1);
  const abandoned = run({ do: 'loop' }, 'a', stop.signal);
  stop.abort(new Error('enough'));
  await expect(abandoned).rejects.toThrow('enough');
  expect([await first, await echo(2)]).toEqual([1, 2]);
});

test('a close rejects jobs that wait or run, and further ones', async () => {
  const { pool: own, run } = open({ deadlineMs: 60_000 });
  const jobs = [run({ do: 'loop' }), run({ do: 'loop' })].map((job) =>
    job.catch((error: { kind: string }) => error.kind),
  );
  await own.close();
  expect(await Promise.all(jobs)).toEqual(['transient', 'transient']);
  await expect(run({ do: 'loop' })).rejects.toMatchObject({ kind: 'transient' });
});

test('a group with fewer jobs at a time than there are processes leaves the others to other groups', async () => {
  const { run, echo } = open({ size: 2, perGroup: 1, deadlineMs: 60_000 });
  const loops = [run({ do: 'loop' }, 'hostile'), run({ do: 'loop' }, 'hostile')];
  for (const loop of loops) loop.catch(() => undefined);
  for (let n = 0; n < 3; n++) expect(await echo(n, 'honest')).toBe(n);
});

test('groups take turns, so that one with many jobs delays others by one', () => {
  const turns = createTurns<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(item.slice(0, 1), item);
  turns.remove('a', 'a2');
  turns.remove('c', 'none');
  const order = Array.from({ length: turns.size() + 1 }, () => turns.next());
  expect(order).toEqual(['a1', 'b1', 'c1', 'a3', 'b2', undefined]);
});
