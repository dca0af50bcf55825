import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createWatcherHarness, event, type WatcherHarness } from './object-watcher.fixture.ts';

let h: WatcherHarness;
beforeEach(() => {
  h = createWatcherHarness();
});
afterEach(() => h.objectWatcher.close());

describe('a change between the read and the watch is reported', () => {
  test('at once where the server’s account shows another version', async () => {
    const changed = h.observe('a', '5');
    const appeared = h.observe('b', 'absent');
    await h.open(event('ADDED', 'a', '7'), event('ADDED', 'b', '6'));
    expect([changed.changes.times, appeared.changes.times]).toEqual([1, 1]);
  });

  test('of an object that has gone: when the account is complete, since it is not in there', async () => {
    const { changes } = h.observe('a', '5');
    await h.open(event('ADDED', 'b', '3'));
    expect(changes.times).toBe(0);
    h.watches.latest().send(event('BOOKMARK', '', '8'));
    await h.clock.advance(0);
    expect(changes.times).toBe(1);
  });

  test('of an object that was deleted from an empty namespace: after a time without events', async () => {
    const { changes } = h.observe('a', '5');
    await h.open();
    await h.clock.advance(500);
    expect(changes.times).toBe(1);
  });

  test('also in a namespace that is never quiet', async () => {
    const { changes } = h.observe('a', '5');
    await h.open();
    for (let i = 0; i < 26; i++) {
      h.watches.latest().send(event('ADDED', `b${i}`, String(100 + i)));
      await h.clock.advance(400);
    }
    expect(changes.times).toBe(1);
  });
});

describe('a change between the read and joining an established watch is reported', () => {
  test.each<[string, string, ReturnType<typeof event>]>([
    ['a new version', '5', event('MODIFIED', 'a', '9')],
    ['a deletion', '5', event('DELETED', 'a', '9')],
    ['an appearance', 'absent', event('ADDED', 'a', '9')],
  ])('%s that the watch has already passed', async (_what, seen, change) => {
    h.observe('other', 'absent');
    await h.settled(...(seen === 'absent' ? [] : [event('ADDED', 'a', seen)]));
    h.watches.latest().send(change);
    await h.clock.advance(0);
    const { changes } = h.observe('a', seen);
    expect(changes.times).toBe(0);
    await h.clock.advance(100);
    expect(changes.times).toBe(1);
  });

  test('but not a version that the reader saw before the watch did', async () => {
    h.observe('other', 'absent');
    await h.settled(event('ADDED', 'a', '5'));
    const { changes, isCurrent } = h.observe('a', '7');
    await h.clock.advance(1000);
    expect([changes.times, isCurrent()]).toEqual([0, false]);
    h.watches.latest().send(event('MODIFIED', 'a', '7'));
    await h.clock.advance(0);
    expect([changes.times, isCurrent()]).toEqual([0, true]);
    h.watches.latest().send(event('MODIFIED', 'a', '8'));
    await h.clock.advance(0);
    expect(changes.times).toBe(1);
  });

  test('versions without an order count as changed', async () => {
    h.observe('other', 'absent');
    await h.settled(event('ADDED', 'a', 'x1'));
    const { changes } = h.observe('a', 'x2');
    await h.clock.advance(100);
    expect(changes.times).toBe(1);
  });
});
