import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ByteBudget, createByteBudget } from '../../base/collections/byte-budget.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import type { KubeClient, PartialObject } from '../client/client.ts';
import { parseApiStatus } from '../errors/api-status.ts';
import { KubeApiError, ResponseTooLargeError, UnreachableError } from '../errors/errors.ts';
import { type ControlledWatches, createControlledWatches } from '../fakes/controlled-watches.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import { configMaps, type ResourceType, secrets } from '../object/resource-type.ts';
import { createObjectWatcher, type ObjectWatcher } from './object-watcher.ts';

const attempt = { verb: 'watch', object: 'secrets', clusterName: 'cluster test' };
const answered = (code: number, name?: string) =>
  new KubeApiError(attempt, {
    httpStatus: code,
    status: parseApiStatus(
      JSON.stringify({ kind: 'Status', code, details: name === undefined ? undefined : { name } }),
    ),
  });
const cut = new UnreachableError(attempt, 'cut');

let clock: FakeClock;
let watches: ControlledWatches<PartialObject>;
let objectWatcher: ObjectWatcher;
let clientUnderTest: KubeClient;
/** Answers of metadata GETs by name; the default is not found. */
let versions: Map<string, string>;
/** Fails every metadata GET. */
let refusal: Error | undefined;
let gets: string[];
let watched: string[];

beforeEach(() => {
  clock = createFakeClock();
  watches = createControlledWatches();
  versions = new Map();
  refusal = undefined;
  gets = [];
  watched = [];
  const client: KubeClient = {
    ...createMemoryClient({ clock, clusterName: 'cluster test' }),
    watchMetadata: (type, options = {}) => {
      watched.push(`${type.plural} ${options.namespace ?? ''} ${options.resourceVersion ?? 'fresh'}`);
      return watches.watch(options);
    },
    getMetadata: async (_type, { name }) => {
      gets.push(name);
      if (refusal) throw refusal;
      const version = versions.get(name);
      if (version === undefined) throw answered(404, name);
      return partial(name, version);
    },
  };
  clientUnderTest = client;
  objectWatcher = createObjectWatcher({ client, clock, random: () => 0.5 });
});
afterEach(() => objectWatcher.close());

const partial = (name: string, version: string): PartialObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'shop', resourceVersion: version },
});
const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', name: string, version: string) => ({
  type,
  object: partial(name, version),
});

/** Subscribes and counts notifications. */
function observe(
  name: string,
  seen: string,
  options: { poll?: boolean; type?: ResourceType; namespace?: string } = {},
) {
  const changes = { times: 0 };
  const { type = secrets, namespace = 'shop', poll = true } = options;
  const onChange = () => changes.times++;
  return { changes, ...objectWatcher.watch(type, { namespace, name }, seen, onChange, { poll }) };
}

/** The server accepts the watch and gives its account. */
async function open(...events: ReturnType<typeof event>[]): Promise<void> {
  await clock.advance(0);
  watches.latest().open();
  watches.latest().send(...events);
  await clock.advance(0);
}
async function settled(...events: ReturnType<typeof event>[]): Promise<void> {
  await open(...events);
  await clock.advance(500);
}

test('a target names the object and its cluster, and does nothing before it is watched', async () => {
  const target = objectWatcher.target(secrets, { namespace: 'shop', name: 'a' }, 'absent');
  expect(target.description).toBe('Secret shop/a on cluster test');
  await clock.advance(0);
  expect(watched).toEqual([]);
  const stop = target.watch(() => undefined);
  expect(objectWatcher.size()).toBe(1);
  stop();
});

describe('a server that names more objects than are remembered', () => {
  let names: ByteBudget;
  let limited: ObjectWatcher;
  const other = (name: string) => ({ namespace: 'shop', name });
  beforeEach(() => {
    names = createByteBudget(2000);
    limited = createObjectWatcher({ client: clientUnderTest, clock, random: () => 0.5, names });
  });
  afterEach(() => limited.close());

  test('is watched no longer; the observed objects are asked for, and the memory is given back', async () => {
    let changes = 0;
    versions.set('a', '5');
    const observation = limited.watch(secrets, other('a'), '5', () => changes++);
    await open(
      event('ADDED', 'a', '5'),
      ...Array.from({ length: 50 }, (_, n) => event('ADDED', `n${n}`, '1')),
    );
    await clock.advance(6000);
    expect(watches.latest().isOpen()).toBe(false);
    expect([observation.isCurrent(), changes, gets]).toEqual([false, 0, ['a']]);
    expect(names.take(2000)).toBe(true);
    names.give(2000);

    versions.set('a', '6');
    await clock.advance(6000);
    expect(changes).toBe(1);
    await clock.advance(70_000);
    expect(watched).toHaveLength(2);
  });

  test('is watched no longer either where one event exceeds a limit', async () => {
    versions.set('a', '5');
    limited.watch(secrets, other('a'), '5', () => undefined);
    await settled(event('ADDED', 'a', '5'));
    watches.latest().fail(new ResponseTooLargeError('a line is longer than 9 bytes'));
    await clock.advance(6000);
    expect([watched.length, gets]).toEqual([1, ['a']]);
  });

  test('is watched where a version alone is too long, which is not kept', async () => {
    const long = '9'.repeat(10_000);
    const { isCurrent } = limited.watch(secrets, other('a'), long, () => undefined);
    await settled(event('ADDED', 'a', long));
    expect([isCurrent(), watches.latest().isOpen(), names.take(1500)]).toEqual([true, true, true]);
  });

  test('is watched as others are while there is room, for names that come and go too', async () => {
    const observation = limited.watch(secrets, other('a'), '5', () => undefined);
    await settled(event('ADDED', 'a', '5'));
    for (let n = 0; n < 50; n++) {
      watches.latest().send(event('ADDED', `n${n}`, '1'), event('DELETED', `n${n}`, '2'));
      watches.latest().send(event('MODIFIED', 'b', String(n)));
      await clock.advance(0);
    }
    expect([observation.isCurrent(), watches.latest().isOpen(), gets]).toEqual([true, true, []]);
    limited.close();
    expect(names.take(2000)).toBe(true);
  });
});

describe('requests', () => {
  test('one watch serves all observers of a kind and namespace, and opening it is all it costs', async () => {
    for (const name of ['a', 'b', 'c']) observe(name, 'absent');
    observe('a', 'absent', { type: configMaps });
    observe('a', 'absent', { namespace: 'other' });
    await clock.advance(60_000);
    expect(watched).toEqual(['secrets shop fresh', 'configmaps shop fresh', 'secrets other fresh']);
    expect(gets).toEqual([]);
  });

  test('a new subscriber soon after costs none; without one the watch is closed', async () => {
    const first = observe('a', 'absent');
    await settled();
    first.stop();
    await clock.advance(1900);
    const second = observe('a', 'absent');
    await clock.advance(10_000);
    expect(watches.latest().isOpen()).toBe(true);
    second.stop();
    await clock.advance(2000);
    expect(watches.latest().isOpen()).toBe(false);
    expect(watched).toHaveLength(1);
    expect(clock.pending()).toBe(0);
  });
});

describe('a change is reported', () => {
  test.each<[string, string, ReturnType<typeof event>]>([
    ['the object appears', 'absent', event('ADDED', 'a', '9')],
    ['the object changes', '5', event('MODIFIED', 'a', '9')],
    ['the object goes', '5', event('DELETED', 'a', '9')],
  ])('when %s', async (_what, seen, change) => {
    const { changes, isCurrent } = observe('a', seen);
    await settled(...(seen === 'absent' ? [] : [event('ADDED', 'a', seen)]));
    expect(isCurrent()).toBe(true);
    watches.latest().send(event('ADDED', 'b', '8'), event('BOOKMARK', '', '8'));
    await clock.advance(0);
    expect(changes.times).toBe(0);
    watches.latest().send(change);
    await clock.advance(0);
    expect(changes.times).toBe(1);
    expect(isCurrent()).toBe(false);
  });

  test('again for each further version, but not for the same one twice', async () => {
    const { changes } = observe('a', 'absent');
    await settled();
    watches
      .latest()
      .send(event('ADDED', 'a', '9'), event('MODIFIED', 'a', '9'), event('MODIFIED', 'a', '10'));
    await clock.advance(0);
    expect(changes.times).toBe(2);
  });

  test('no more after the subscriber has stopped, even if another one stops it during the notification', async () => {
    let stopSecond: () => void = () => undefined;
    objectWatcher.watch(secrets, { namespace: 'shop', name: 'a' }, 'absent', () => stopSecond());
    const second = observe('a', 'absent');
    stopSecond = second.stop;
    await settled();
    watches.latest().send(event('ADDED', 'a', '9'));
    await clock.advance(0);
    expect(second.changes.times).toBe(0);
  });
});

test('an observer that fails keeps neither the others nor the watch from working', async () => {
  objectWatcher.watch(secrets, { namespace: 'shop', name: 'a' }, 'absent', () => {
    throw new Error('boom');
  });
  const { changes } = observe('a', 'absent');
  await settled();
  watches.latest().send(event('ADDED', 'a', '9'), event('MODIFIED', 'a', '10'));
  await clock.advance(0);
  expect(changes.times).toBe(2);
});

describe('a change between the read and the watch is reported', () => {
  test('at once where the server’s account shows another version', async () => {
    const changed = observe('a', '5');
    const appeared = observe('b', 'absent');
    await open(event('ADDED', 'a', '7'), event('ADDED', 'b', '6'));
    expect([changed.changes.times, appeared.changes.times]).toEqual([1, 1]);
  });

  test('of an object that has gone: when the account is complete, since it is not in there', async () => {
    const { changes } = observe('a', '5');
    await open(event('ADDED', 'b', '3'));
    expect(changes.times).toBe(0);
    watches.latest().send(event('BOOKMARK', '', '8'));
    await clock.advance(0);
    expect(changes.times).toBe(1);
  });

  test('of an object that was deleted from an empty namespace: after a time without events', async () => {
    const { changes } = observe('a', '5');
    await open();
    await clock.advance(500);
    expect(changes.times).toBe(1);
  });

  test('also in a namespace that is never quiet', async () => {
    const { changes } = observe('a', '5');
    await open();
    for (let i = 0; i < 26; i++) {
      watches.latest().send(event('ADDED', `b${i}`, String(100 + i)));
      await clock.advance(400);
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
    observe('other', 'absent');
    await settled(...(seen === 'absent' ? [] : [event('ADDED', 'a', seen)]));
    watches.latest().send(change);
    await clock.advance(0);
    const { changes } = observe('a', seen);
    expect(changes.times).toBe(0);
    await clock.advance(100);
    expect(changes.times).toBe(1);
  });

  test('but not a version that the reader saw before the watch did', async () => {
    observe('other', 'absent');
    await settled(event('ADDED', 'a', '5'));
    const { changes, isCurrent } = observe('a', '7');
    await clock.advance(1000);
    expect([changes.times, isCurrent()]).toEqual([0, false]);
    watches.latest().send(event('MODIFIED', 'a', '7'));
    await clock.advance(0);
    expect([changes.times, isCurrent()]).toEqual([0, true]);
    watches.latest().send(event('MODIFIED', 'a', '8'));
    await clock.advance(0);
    expect(changes.times).toBe(1);
  });

  test('versions without an order count as changed', async () => {
    observe('other', 'absent');
    await settled(event('ADDED', 'a', 'x1'));
    const { changes } = observe('a', 'x2');
    await clock.advance(100);
    expect(changes.times).toBe(1);
  });
});

describe('a watch that breaks', () => {
  test('is resumed, and changes in the meantime are reported', async () => {
    const { changes, isCurrent } = observe('a', '5');
    await settled(event('ADDED', 'a', '5'), event('BOOKMARK', '', '20'));
    watches.latest().fail(cut);
    await clock.advance(0);
    expect(isCurrent()).toBe(false);
    await clock.advance(800);
    expect(watched.at(-1)).toBe('secrets shop 20');
    await open(event('MODIFIED', 'a', '21'));
    expect(changes.times).toBe(1);
  });

  test('vouches again for what did not change', async () => {
    const { changes, isCurrent } = observe('a', '5');
    await settled(event('ADDED', 'a', '5'));
    watches.latest().fail(cut);
    await clock.advance(800);
    await settled();
    expect([changes.times, isCurrent()]).toEqual([0, true]);
  });

  test('amid its account starts over: resumed, the rest of the account would be missing', async () => {
    const { changes } = observe('a', 'absent');
    await open(event('ADDED', 'b', '30'));
    watches.latest().fail(cut);
    await clock.advance(800);
    expect(watched.at(-1)).toBe('secrets shop fresh');
    await open(event('ADDED', 'a', '10'));
    expect(changes.times).toBe(1);
  });

  test('with a gap compares everything anew, deletions and older versions included', async () => {
    const same = observe('a', '5');
    const gone = observe('b', '6');
    const restored = observe('c', '7');
    await settled(event('ADDED', 'a', '5'), event('ADDED', 'b', '6'), event('ADDED', 'c', '7'));
    await clock.advance(5000);
    watches.latest().fail(answered(410));
    await clock.advance(0);
    expect(watched.at(-1)).toBe('secrets shop fresh');
    await settled(event('ADDED', 'a', '5'), event('ADDED', 'c', '2'));
    expect([same.changes.times, gone.changes.times, restored.changes.times]).toEqual([0, 1, 1]);
  });

  test('is tried for ever, never more than 5 s apart', async () => {
    observe('a', 'absent');
    for (let i = 0; i < 20; i++) {
      await clock.advance(5000);
      if (watches.latest().isOpen()) watches.latest().fail(cut);
    }
    await clock.advance(5000);
    expect(watched.length).toBeGreaterThan(15);
  });
});

describe('where watching is forbidden', () => {
  const refuse = async (error: Error = answered(403)) => {
    await clock.advance(0);
    watches.latest().fail(error);
    await clock.advance(0);
  };

  test('the watched objects are read every 5 s, and a change is reported', async () => {
    versions.set('b', '4');
    const missing = observe('a', 'absent');
    const known = observe('b', '4');
    await refuse();
    await clock.advance(15_000);
    expect(gets.sort()).toEqual(['a', 'a', 'a', 'b', 'b', 'b']);
    expect([missing.changes.times, known.changes.times]).toEqual([0, 0]);
    versions.set('a', '1').delete('b');
    await clock.advance(5000);
    expect([missing.changes.times, known.changes.times]).toEqual([1, 1]);
    expect(known.isCurrent()).toBe(false);
  });

  test('nothing is asked for those who only want to know whether they are current', async () => {
    const { isCurrent } = observe('a', '5', { poll: false });
    await refuse();
    await clock.advance(30_000);
    expect([gets, isCurrent()]).toEqual([[], false]);
  });

  test('an answer that says nothing of the object is no change', async () => {
    const { changes } = observe('a', '5');
    await refuse();
    refusal = cut;
    await clock.advance(20_000);
    refusal = answered(403);
    await clock.advance(20_000);
    expect(changes.times).toBe(0);
  });

  test('the watch is tried again every minute, in case rights arrived', async () => {
    const { changes } = observe('a', 'absent');
    await refuse();
    await clock.advance(59_000);
    expect(watched).toHaveLength(1);
    await clock.advance(6000);
    expect(watched).toHaveLength(2);
    gets.length = 0;
    await settled();
    watches.latest().send(event('ADDED', 'a', '9'));
    await clock.advance(20_000);
    expect([changes.times, gets]).toEqual([1, []]);
  });

  test('because credentials ran out: the watch is tried soon, as they may be replaced', async () => {
    observe('a', 'absent');
    await refuse(answered(401));
    await clock.advance(6000);
    expect(watched).toHaveLength(2);
  });

  test('because the kind is unknown: its arrival is noticed within seconds, and then watched', async () => {
    const { changes } = observe('a', 'absent');
    refusal = answered(404);
    await refuse(answered(404));
    await clock.advance(30_000);
    expect([watched.length, changes.times]).toEqual([1, 0]);
    refusal = undefined;
    versions.set('a', '3');
    await clock.advance(5000);
    expect([watched.length, changes.times]).toEqual([2, 1]);
  });
});

describe('the end', () => {
  test('of the object watcher notifies the remaining subscribers', async () => {
    const { changes, isCurrent } = observe('a', 'absent');
    await settled();
    objectWatcher.close();
    expect([changes.times, isCurrent(), objectWatcher.size()]).toEqual([1, false, 0]);
    const late = observe('a', 'absent');
    await clock.advance(0);
    expect(late.changes.times).toBe(1);
    expect(clock.pending()).toBe(0);
  });

  test('notifyAll calls all subscribers, and the watch stays', async () => {
    const { changes } = observe('a', 'absent');
    await settled();
    objectWatcher.notifyAll();
    expect(changes.times).toBe(1);
    expect(watches.latest().isOpen()).toBe(true);
  });
});
