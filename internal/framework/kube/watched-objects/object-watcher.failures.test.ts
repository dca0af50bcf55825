import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { answered, createWatcherHarness, cut, event, type WatcherHarness } from './object-watcher.fixture.ts';

let h: WatcherHarness;
beforeEach(() => {
  h = createWatcherHarness();
});
afterEach(() => h.objectWatcher.close());

describe('a watch that breaks', () => {
  const failing = async (error: Error, afterMs: number) => {
    await h.clock.advance(afterMs);
    h.watches.latest().fail(error);
    await h.clock.advance(800);
  };

  test('is resumed, and changes in the meantime are reported', async () => {
    const { changes, isCurrent } = h.observe('a', '5');
    await h.settled(event('ADDED', 'a', '5'), event('BOOKMARK', '', '20'));
    h.watches.latest().fail(cut);
    await h.clock.advance(0);
    expect(isCurrent()).toBe(false);
    await h.clock.advance(800);
    expect(h.watched.at(-1)).toBe('secrets shop 20');
    await h.open(event('MODIFIED', 'a', '21'));
    expect(changes.times).toBe(1);
  });

  test('vouches again for what did not change', async () => {
    const { changes, isCurrent } = h.observe('a', '5');
    await h.settled(event('ADDED', 'a', '5'));
    h.watches.latest().fail(cut);
    await h.clock.advance(800);
    await h.settled();
    expect([changes.times, isCurrent()]).toEqual([0, true]);
  });

  test('amid its account starts over: resumed, the rest of the account would be missing', async () => {
    const { changes } = h.observe('a', 'absent');
    await h.open(event('ADDED', 'b', '30'));
    h.watches.latest().fail(cut);
    await h.clock.advance(800);
    expect(h.watched.at(-1)).toBe('secrets shop fresh');
    await h.open(event('ADDED', 'a', '10'));
    expect(changes.times).toBe(1);
  });

  test.each<[string, () => Promise<void>]>([
    ['with a gap', () => failing(answered(410), 5000)],
    [
      'again and again without an event',
      async () => {
        await failing(cut, 5000);
        for (let i = 0; i < 3; i++) {
          await h.open();
          await failing(answered(500), 1000);
        }
      },
    ],
  ])('%s compares everything anew, deletions and older versions included', async (_what, fail) => {
    const same = h.observe('a', '5');
    const gone = h.observe('b', '6');
    const restored = h.observe('c', '7');
    await h.settled(event('ADDED', 'a', '5'), event('ADDED', 'b', '6'), event('ADDED', 'c', '7'));
    await fail();
    expect(h.watched.at(-1)).toBe('secrets shop fresh');
    await h.settled(event('ADDED', 'a', '5'), event('ADDED', 'c', '2'));
    expect([same.changes.times, gone.changes.times, restored.changes.times]).toEqual([0, 1, 1]);
  });

  test('is tried for ever, never more than 5 s apart', async () => {
    h.observe('a', 'absent');
    for (let i = 0; i < 20; i++) {
      await h.clock.advance(5000);
      if (h.watches.latest().isOpen()) h.watches.latest().fail(cut);
    }
    await h.clock.advance(5000);
    expect(h.watched.length).toBeGreaterThan(15);
  });
});

describe('where watching is forbidden', () => {
  const refuse = async (error: Error = answered(403)) => {
    await h.clock.advance(0);
    h.watches.latest().fail(error);
    await h.clock.advance(0);
  };

  test('the watched objects are read every 5 s, and a change is reported', async () => {
    h.versions.set('b', '4');
    const missing = h.observe('a', 'absent');
    const known = h.observe('b', '4');
    await refuse();
    await h.clock.advance(15_000);
    expect(h.gets.sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
    expect([missing.changes.times, known.changes.times]).toEqual([0, 0]);
    h.versions.set('a', '1').delete('b');
    await h.clock.advance(5000);
    expect([missing.changes.times, known.changes.times]).toEqual([1, 1]);
    expect(known.isCurrent()).toBe(false);
  });

  test('one is asked for at a time, so that a server that does not answer has one connection', async () => {
    h.client.getMetadata = (_type, { name }) => {
      h.gets.push(name);
      return new Promise(() => undefined);
    };
    for (const name of ['a', 'b', 'c']) h.observe(name, 'absent');
    await refuse();
    await h.clock.advance(30_000);
    expect(h.gets).toEqual(['a']);
  });

  test('nothing is asked for those who only want to know whether they are current', async () => {
    const { isCurrent } = h.observe('a', '5', { poll: false });
    await refuse();
    await h.clock.advance(30_000);
    expect([h.gets, isCurrent()]).toEqual([[], false]);
  });

  test('an answer that says nothing of the object is no change', async () => {
    const { changes } = h.observe('a', '5');
    await refuse();
    h.refusal = cut;
    await h.clock.advance(20_000);
    h.refusal = answered(403);
    await h.clock.advance(20_000);
    expect(changes.times).toBe(0);
  });

  test('the watch is tried again every minute, in case rights arrived', async () => {
    const { changes } = h.observe('a', 'absent');
    await refuse();
    await h.clock.advance(59_000);
    expect(h.watched).toHaveLength(1);
    await h.clock.advance(6000);
    expect(h.watched).toHaveLength(2);
    h.gets.length = 0;
    await h.settled();
    h.watches.latest().send(event('ADDED', 'a', '9'));
    await h.clock.advance(20_000);
    expect([changes.times, h.gets]).toEqual([1, []]);
  });

  test('because credentials ran out: the watch is tried soon, as they may be replaced', async () => {
    h.observe('a', 'absent');
    await refuse(answered(401));
    await h.clock.advance(6000);
    expect(h.watched).toHaveLength(2);
  });

  test('because the kind is unknown: its arrival is noticed within seconds, and then watched', async () => {
    const { changes } = h.observe('a', 'absent');
    h.refusal = answered(404);
    await refuse(answered(404));
    await h.clock.advance(30_000);
    expect([h.watched.length, changes.times]).toEqual([1, 0]);
    h.refusal = undefined;
    h.versions.set('a', '3');
    await h.clock.advance(5000);
    expect([h.watched.length, changes.times]).toEqual([2, 1]);
  });
});
