import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ByteBudget, createByteBudget } from '../../base/collections/byte-budget.ts';
import { ResponseTooLargeError } from '../errors/errors.ts';
import { configMaps, secrets } from '../object/resource-type.ts';
import { answered, createWatcherHarness, event, type WatcherHarness } from './object-watcher.fixture.ts';
import { createObjectWatcher, type ObjectWatcher, WATCH_BYTES } from './object-watcher.ts';

let h: WatcherHarness;
beforeEach(() => {
  h = createWatcherHarness();
});
afterEach(() => h.objectWatcher.close());

test('a target names the object and its cluster, and does nothing before it is watched', async () => {
  const target = h.objectWatcher.target(secrets, { namespace: 'shop', name: 'a' }, 'absent');
  expect(target.description).toBe('Secret shop/a on cluster test');
  await h.clock.advance(0);
  expect(h.watched).toEqual([]);
  const stop = target.watch(() => undefined);
  expect(h.objectWatcher.size()).toBe(1);
  stop();
});

describe('a server that names more objects than are remembered', () => {
  let names: ByteBudget;
  let watches: ByteBudget;
  let limited: ObjectWatcher;
  const other = (name: string) => ({ namespace: 'shop', name });
  beforeEach(() => {
    names = createByteBudget(2000);
    watches = createByteBudget(WATCH_BYTES);
    limited = createObjectWatcher({ client: h.client, clock: h.clock, random: () => 0.5, names, watches });
  });
  afterEach(() => limited.close());

  test('is watched no longer; the observed objects are asked for, and the memory is given back', async () => {
    let changes = 0;
    h.versions.set('a', '5');
    const observation = limited.watch(secrets, other('a'), '5', () => changes++);
    await h.open(
      event('ADDED', 'a', '5'),
      ...Array.from({ length: 50 }, (_, n) => event('ADDED', `n${n}`, '1')),
    );
    await h.clock.advance(6000);
    expect(h.watches.latest().isOpen()).toBe(false);
    expect([observation.isCurrent(), changes, h.gets]).toEqual([false, 0, ['a']]);
    expect(names.take(2000)).toBe(true);
    names.give(2000);

    h.versions.set('a', '6');
    await h.clock.advance(6000);
    expect(changes).toBe(1);
    await h.clock.advance(70_000);
    expect(h.watched).toHaveLength(2);
  });

  test('is watched no longer either where one event exceeds a limit', async () => {
    h.versions.set('a', '5');
    limited.watch(secrets, other('a'), '5', () => undefined);
    await h.settled(event('ADDED', 'a', '5'));
    h.watches.latest().fail(new ResponseTooLargeError('a line is longer than 9 bytes'));
    await h.clock.advance(6000);
    expect([h.watched.length, h.gets]).toEqual([1, ['a']]);
  });

  test('is reported every minute where there is no memory for one more watch, without a request, until there is', async () => {
    const { stop } = limited.watch(secrets, other('a'), '5', () => undefined);
    await h.open();
    // One that is refused has its memory too: its objects are asked for.
    h.watches.latest().fail(answered(403));
    await h.clock.advance(1000);
    h.gets.length = 0;
    const reported: string[] = [];
    const unwatched = limited.watch(configMaps, other('b'), '1', (now) => reported.push(now));
    const stopped = limited.watch(configMaps, other('c'), '1', (now) => reported.push(now));
    stopped.stop();
    await h.clock.advance(46_000);
    expect([unwatched.isCurrent(), limited.size(), reported, h.watched, h.gets.includes('b')]).toEqual([
      ...[false, 1, [], ['secrets shop fresh'], false],
    ]);
    await h.clock.advance(22_000);
    expect(reported).toEqual(['1']);
    stop();
    await h.clock.advance(3000);
    limited.watch(configMaps, other('b'), '1', () => undefined);
    await h.clock.advance(0);
    expect(h.watched.at(-1)).toBe('configmaps shop fresh');
  });

  test('is watched where a version alone is too long, which is not kept', async () => {
    const long = '9'.repeat(10_000);
    const { isCurrent } = limited.watch(secrets, other('a'), long, () => undefined);
    await h.settled(event('ADDED', 'a', long));
    expect([isCurrent(), h.watches.latest().isOpen(), names.take(1500)]).toEqual([true, true, true]);
  });

  test('is watched as others are while there is room, for names that come and go too', async () => {
    const observation = limited.watch(secrets, other('a'), '5', () => undefined);
    await h.settled(event('ADDED', 'a', '5'));
    for (let n = 0; n < 50; n++) {
      h.watches.latest().send(event('ADDED', `n${n}`, '1'), event('DELETED', `n${n}`, '2'));
      h.watches.latest().send(event('MODIFIED', 'b', String(n)));
      await h.clock.advance(0);
    }
    expect([observation.isCurrent(), h.watches.latest().isOpen(), h.gets]).toEqual([true, true, []]);
    limited.close();
    await h.clock.advance(0);
    expect([names.take(2000), watches.take(WATCH_BYTES)]).toEqual([true, true]);
  });
});

describe('requests', () => {
  test('one watch serves all observers of a kind and namespace, and opening it is all it costs', async () => {
    for (const name of ['a', 'b', 'c']) h.observe(name, 'absent');
    h.observe('a', 'absent', { type: configMaps });
    h.observe('a', 'absent', { namespace: 'other' });
    // A server may serve the one version and not the other.
    h.observe('a', 'absent', { type: { ...configMaps, version: 'v2' } });
    await h.clock.advance(60_000);
    expect(h.watched).toEqual([
      'secrets shop fresh',
      'configmaps shop fresh',
      'secrets other fresh',
      'configmaps shop fresh',
    ]);
    expect(h.gets).toEqual([]);
  });

  test('a new subscriber soon after costs none; without one the watch is closed', async () => {
    const first = h.observe('a', 'absent');
    await h.settled();
    first.stop();
    await h.clock.advance(1900);
    const second = h.observe('a', 'absent');
    await h.clock.advance(10_000);
    expect(h.watches.latest().isOpen()).toBe(true);
    second.stop();
    await h.clock.advance(2000);
    expect(h.watches.latest().isOpen()).toBe(false);
    expect(h.watched).toHaveLength(1);
    expect(h.clock.pending()).toBe(0);
  });
});

describe('a change is reported', () => {
  test.each<[string, string, ReturnType<typeof event>]>([
    ['the object appears', 'absent', event('ADDED', 'a', '9')],
    ['the object changes', '5', event('MODIFIED', 'a', '9')],
    ['the object goes', '5', event('DELETED', 'a', '9')],
  ])('when %s', async (_what, seen, change) => {
    const { changes, isCurrent } = h.observe('a', seen);
    await h.settled(...(seen === 'absent' ? [] : [event('ADDED', 'a', seen)]));
    expect(isCurrent()).toBe(true);
    h.watches.latest().send(event('ADDED', 'b', '8'), event('BOOKMARK', '', '8'));
    await h.clock.advance(0);
    expect(changes.times).toBe(0);
    h.watches.latest().send(change);
    await h.clock.advance(0);
    expect(changes.times).toBe(1);
    expect(isCurrent()).toBe(false);
  });

  test('again for each further version, but not for the same one twice', async () => {
    const { changes } = h.observe('a', 'absent');
    await h.settled();
    h.watches
      .latest()
      .send(event('ADDED', 'a', '9'), event('MODIFIED', 'a', '9'), event('MODIFIED', 'a', '10'));
    await h.clock.advance(0);
    expect(changes.times).toBe(2);
  });

  test('no more after the subscriber has stopped, even if another one stops it during the notification', async () => {
    let stopSecond: () => void = () => undefined;
    h.objectWatcher.watch(secrets, { namespace: 'shop', name: 'a' }, 'absent', () => stopSecond());
    const second = h.observe('a', 'absent');
    stopSecond = second.stop;
    await h.settled();
    h.watches.latest().send(event('ADDED', 'a', '9'));
    await h.clock.advance(0);
    expect(second.changes.times).toBe(0);
  });
});

test('an observer that fails keeps neither the others nor the watch from working', async () => {
  h.objectWatcher.watch(secrets, { namespace: 'shop', name: 'a' }, 'absent', () => {
    throw new Error('boom');
  });
  const { changes } = h.observe('a', 'absent');
  await h.settled();
  h.watches.latest().send(event('ADDED', 'a', '9'), event('MODIFIED', 'a', '10'));
  await h.clock.advance(0);
  expect(changes.times).toBe(2);
});

describe('the end', () => {
  test('of the object watcher notifies the remaining subscribers', async () => {
    const { changes, isCurrent } = h.observe('a', 'absent');
    await h.settled();
    h.objectWatcher.close();
    expect([changes.times, isCurrent(), h.objectWatcher.size()]).toEqual([1, false, 0]);
    const late = h.observe('a', 'absent');
    await h.clock.advance(0);
    expect(late.changes.times).toBe(1);
    expect(h.clock.pending()).toBe(0);
  });

  test('notifyAll calls all subscribers, and the watch stays', async () => {
    const { changes } = h.observe('a', 'absent');
    await h.settled();
    h.objectWatcher.notifyAll();
    expect(changes.times).toBe(1);
    expect(h.watches.latest().isOpen()).toBe(true);
  });
});
