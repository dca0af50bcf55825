import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../base/time/clock.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { createLongJobs } from './long-jobs.ts';
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

test('what jobs before it left in the memory of a process does not count: such a job is done again in a new one', async () => {
  const { run, echo, started } = open({ heapMb: 32, memoryMb: 96, deadlineMs: 60_000 });
  const bytes = 50e6;
  for (let processes = 1; processes < 4; processes++) {
    expect(await run({ do: 'keep', bytes })).toBe(bytes);
    expect(started()).toBe(processes);
  }
  // Too much for any process.
  await expect(run({ do: 'buffers' })).rejects.toMatchObject({ kind: 'terminal', limit: 'memory' });
  expect(started()).toBe(4);
  expect(await echo('next')).toBe('next');
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

/** Groups that have several jobs each, which never end. */
function occupy(run: (job: SampleJob, group: string) => Promise<unknown>, groups: readonly string[]) {
  let ended = 0;
  for (const group of [...groups, ...groups])
    run({ do: 'loop' }, group)
      .catch(() => undefined)
      .finally(() => ended++);
  return { ended: () => ended };
}

describe('two groups whose jobs take long, and two processes', () => {
  const options = { size: 2, perGroup: 1, deadlineMs: 60_000, shortMs: 150 };

  test('hold neither of them: short jobs of others have a process of their own', async () => {
    const { run, echo, started } = open(options);
    const hostile = occupy(run, ['hostile', 'more hostile']);
    await new Promise((done) => setTimeout(done, 750));
    expect(await echo('first', 'honest')).toBe('first');
    const before = started();
    for (let n = 0; n < 10; n++) {
      expect(await echo(n, n % 2 === 0 ? 'honest' : 'also honest')).toBe(n);
      await new Promise((done) => setTimeout(done, 50));
    }
    // Until both have taken much, one may have to make room once more.
    expect(started() - before).toBeLessThanOrEqual(3);
    expect(hostile.ended()).toBe(0);
  });

  test('let others come first whose jobs are not short either, but shorter than theirs', async () => {
    const { run, started } = open(options);
    const hostile = occupy(run, ['hostile', 'more hostile']);
    await new Promise((done) => setTimeout(done, 1250));
    const before = started();
    const all = Promise.all(['a', 'b'].map((group) => run({ do: 'take', ms: 750 }, group)));
    expect(await all).toEqual([750, 750]);
    expect(started() - before).toBeLessThanOrEqual(3);
    expect(hostile.ended()).toBe(0);
  });

  test('go on when there is room: a job that was put back is done again', async () => {
    const { run, echo } = open(options);
    const loops = ['a', 'b'].map((group) => run({ do: 'take', ms: 750 }, group));
    await new Promise((done) => setTimeout(done, 450));
    expect(await echo(1, 'c')).toBe(1);
    expect(await Promise.all(loops)).toEqual([750, 750]);
  });

  test('a job that is given up after it was put back is not done again', async () => {
    const { run, echo } = open(options);
    const stop = new AbortController();
    const loops = ['a', 'b'].map((group) => run({ do: 'loop' }, group, stop.signal));
    await new Promise((done) => setTimeout(done, 450));
    await echo(1, 'c');
    stop.abort(new Error('enough'));
    for (const loop of loops) await expect(loop).rejects.toThrow('enough');
    expect(await Promise.all([echo(1, 'a'), echo(2, 'b')])).toEqual([1, 2]);
  });
});

test('groups take turns, so that one with many jobs delays others by one', () => {
  const turns = createTurns<string>();
  for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(item.slice(0, 1), item);
  turns.remove('a', 'a2');
  turns.remove('c', 'none');
  const order = Array.from({ length: turns.size() + 1 }, () => turns.next());
  expect(order).toEqual(['a1', 'b1', 'c1', 'a3', 'b2', undefined]);
});

test('groups of the lowest cost come first', () => {
  const cost: Readonly<Record<string, number>> = { a: 2, b: 1, c: 1 };
  const turns = createTurns<string>(
    (group) => (group === 'c' ? 0 : 1),
    (group) => cost[group] ?? 0,
  );
  for (const item of ['a1', 'b1', 'c1', 'b2']) turns.add(item.slice(0, 1), item);
  expect([turns.peek(), turns.next(), turns.next(), turns.next(), turns.next()]).toEqual([
    'b1',
    'b1',
    'b2',
    'a1',
    undefined,
  ]);
});

test('what a group took beyond short jobs counts while it runs, and halves every minute', async () => {
  const clock = createFakeClock();
  const long = createLongJobs({ clock, shortMs: 1000 });
  const take = async (ms: number) => {
    const job = long.began('a');
    await clock.advance(ms);
    return job;
  };
  (await take(900)).end(false);
  expect(long.time('a')).toBe(0);
  const job = await take(9000);
  expect([long.time('a'), long.isHeavy('a'), long.time('b')]).toEqual([8000, true, 0]);
  job.end(true);
  expect(long.time('a')).toBe(14_000);
  await clock.advance(120_000);
  expect([Math.round(long.time('a')), long.isHeavy('a')]).toEqual([3500, false]);
});
