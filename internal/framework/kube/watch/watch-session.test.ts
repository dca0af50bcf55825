import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { KubeApiError, UnreachableError } from '../errors/errors.ts';
import { type ControlledWatches, createControlledWatches } from '../fakes/controlled-watches.ts';
import type { ConfigMap } from '../object/object.ts';
import { createReconnectDelay, followWatch, type WatchSessionEnd } from './reflector.ts';

let clock: FakeClock;
let watches: ControlledWatches<ConfigMap>;
let stop: AbortController;

beforeEach(() => {
  clock = createFakeClock();
  watches = createControlledWatches();
  stop = new AbortController();
});

function follow(resourceVersion?: string, random = () => 0.5): Promise<WatchSessionEnd> {
  return followWatch({
    clock,
    random,
    open: watches.watch,
    resourceVersion,
    onEvent: () => undefined,
    signal: stop.signal,
  });
}

const event = (version: string, type: 'ADDED' | 'BOOKMARK' = 'ADDED') => ({
  type,
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', resourceVersion: version } },
});

test('asks for a life of 5 to 10 minutes, spread so that watches do not end together', () => {
  for (const random of [() => 0, () => 0.999]) void follow('1', random);
  expect(watches.all.map(({ options }) => options.timeoutSeconds)).toEqual([300, 599]);
  expect(watches.all[0]?.options.resourceVersion).toBe('1');
  stop.abort();
});

describe('the end has the version to continue from', () => {
  test('after the last event, or the bookmark that came later', async () => {
    const end = follow('1');
    watches.latest().open();
    await clock.advance(5000);
    watches.latest().send(event('2'), event('7', 'BOOKMARK'));
    watches.latest().end();
    expect(await end).toEqual({ resourceVersion: '7', accepted: true, lastedMs: 5000, progressed: true });
  });

  test('also if it was a failure', async () => {
    const end = follow('1');
    const failure = new Error('cut');
    watches.latest().send(event('2'));
    watches.latest().fail(failure);
    expect(await end).toEqual({
      error: failure,
      resourceVersion: '2',
      accepted: true,
      lastedMs: 0,
      progressed: true,
    });
  });
});

test('the time until the server accepted does not count as life', async () => {
  const end = follow();
  await clock.advance(5000);
  watches.latest().fail(new Error('connect timeout'));
  expect(await end).toMatchObject({ accepted: false, lastedMs: 0 });
});

describe('a connection without a sign of life', () => {
  test('is cut after two missed bookmarks', async () => {
    const end = follow();
    watches.latest().open();
    await clock.advance(129_999);
    expect(watches.latest().isOpen()).toBe(true);
    await clock.advance(1);
    expect((await end).error).toMatchObject({ message: 'the watch gave no sign of life for 130 s' });
    expect(watches.latest().isOpen()).toBe(false);
  });

  test('is not one that has bookmarks', async () => {
    const end = follow();
    for (let minute = 1; minute <= 5; minute++) {
      await clock.advance(60_000);
      watches.latest().send(event(String(minute), 'BOOKMARK'));
    }
    await clock.advance(120_000);
    expect(watches.latest().isOpen()).toBe(true);
    stop.abort();
    await end;
  });
});

test('being stopped leaves neither timer nor watch', async () => {
  const end = follow();
  await clock.advance(0);
  stop.abort(new Error('stop'));
  expect((await end).error).toBe(stop.signal.reason);
  expect(clock.pending()).toBe(0);
  expect(watches.latest().isOpen()).toBe(false);
});

const attempt = { verb: 'watch', object: 'secrets', clusterName: 'cluster test' };
const unreachable = new UnreachableError(attempt, 'refused');
const answered = (httpStatus: number) => new KubeApiError(attempt, { httpStatus });
const middle = () => 0.5;

function delays(error: unknown, count: number, random = middle): number[] {
  const delay = createReconnectDelay({ random });
  return Array.from({ length: count }, () => delay.afterFailure(error));
}

test('waits double from 0.8 s to 30 s and stay there: there is no last attempt', () => {
  expect(delays(unreachable, 9)).toEqual([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000, 30_000]);
});

test.each([401, 403, 404])(
  'a %i is tried again within 5 s, since permissions and CRDs arrive late',
  (code) => {
    expect(delays(answered(code), 5)).toEqual([800, 1600, 3200, 5000, 5000]);
  },
);

test('the server’s own patience is a minimum', () => {
  const throttled = new KubeApiError(attempt, { httpStatus: 429, retryAfterMs: 2000 });
  expect(delays(throttled, 3)).toEqual([2000, 2000, 3200]);
});

test('a gateway that asks for a day closes a watch for a minute', () => {
  const maintenance = new KubeApiError(attempt, { httpStatus: 503, retryAfterMs: 86_400_000 });
  expect(delays(maintenance, 2)).toEqual([60_000, 60_000]);
});

test('jitter moves a wait by a fifth either way, so that clients do not return together', () => {
  expect(delays(unreachable, 1, () => 0)).toEqual([640]);
  expect(delays(unreachable, 1, () => 0.999_999)[0]).toBeCloseTo(960, 0);
});

describe('after a watch', () => {
  const gone = answered(410);
  const end = (error: unknown, accepted: boolean, lastedMs: number) => ({
    resourceVersion: '1',
    accepted,
    lastedMs,
    progressed: false,
    ...(error === undefined ? {} : { error }),
  });
  test.each<[string, ReturnType<typeof end>, number[]]>([
    ['that ended in order there is no wait', end(undefined, true, 1000), [0, 0, 0]],
    [
      'that ended in order at once there is one, or a server could keep us spinning',
      end(undefined, true, 10),
      [800, 800, 800],
    ],
    [
      'that was cut, however soon, the wait stays short: the server accepts',
      end(unreachable, true, 10),
      [800, 800, 800],
    ],
    ['that was never accepted the wait grows', end(unreachable, false, 0), [800, 1600, 3200]],
    ['whose version expired there is no wait', end(gone, true, 1000), [0, 0, 0]],
    [
      'whose version was expired from the start the wait grows, since each try costs a list',
      end(gone, true, 10),
      [800, 1600, 3200],
    ],
  ])('%s', (_what, watchEnd, expected) => {
    const delay = createReconnectDelay({ random: middle });
    expect(expected.map(() => delay.afterWatch(watchEnd))).toEqual(expected);
  });

  test('that brought nothing a list follows, after three in a row, then twice as many each time', () => {
    const delay = createReconnectDelay({ random: middle });
    const lists: number[] = [];
    for (let i = 1; i <= 21; i++) if (!delay.mayContinue(end(unreachable, true, 10))) lists.push(i);
    expect(lists).toEqual([3, 9, 21]);
    // In order, never accepted, or with an event, nothing is wrong with the version.
    const others = [end(undefined, true, 1000), end(unreachable, false, 0)];
    const fine = [...others, { ...end(unreachable, true, 10), progressed: true }];
    for (let i = 0; i < 30; i++) for (const each of fine) expect(delay.mayContinue(each)).toBe(true);
    // What came after the event is of another time.
    const next = Array.from({ length: 9 }, () => delay.mayContinue(end(unreachable, true, 10)));
    expect(next.flatMap((mayContinue, index) => (mayContinue ? [] : [index + 1]))).toEqual([3, 9]);
  });

  test('that was accepted the wait of earlier failures is forgotten', () => {
    const delay = createReconnectDelay({ random: middle });
    for (let i = 0; i < 5; i++) delay.afterFailure(unreachable);
    delay.afterWatch(end(undefined, true, 1000));
    expect(delay.afterFailure(unreachable)).toBe(800);
  });
});
