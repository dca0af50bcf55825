import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { type ControlledWatches, createControlledWatches } from '../fakes/controlled-watches.ts';
import type { ConfigMap } from '../object/object.ts';
import { followWatch, type WatchSessionEnd } from './watch-session.ts';

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
