import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import type { ListOptions, Page } from '../client/client.ts';
import { KubeApiError, ResponseTooLargeError, UnreachableError } from '../errors/errors.ts';
import {
  type ControlledWatch,
  type ControlledWatches,
  createControlledWatches,
} from '../fakes/controlled-watches.ts';
import type { ConfigMap } from '../object/object.ts';
import { startReflector } from './reflector.ts';

const attempt = { verb: 'watch', object: 'configmaps', clusterName: 'cluster test' };
const answered = (httpStatus: number, retryAfterMs?: number) =>
  new KubeApiError(attempt, { httpStatus, retryAfterMs });
const unreachable = new UnreachableError(attempt, 'refused');

const object = (name: string, version: string): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', resourceVersion: version },
});
const event = (type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK', name: string, version: string) => ({
  type,
  object: object(name, version),
});

let clock: FakeClock;
let watches: ControlledWatches<ConfigMap>;
/** Answers to the next lists; errors are thrown, the last one stays. */
let lists: (Page<ConfigMap> | Error)[];
let listed: ListOptions[];
let events: string[];
let stop: () => void;

beforeEach(() => {
  clock = createFakeClock();
  watches = createControlledWatches();
  lists = [{ items: [object('a', '1')], resourceVersion: '10' }];
  listed = [];
  events = [];
});
afterEach(() => stop());

async function start(): Promise<void> {
  stop = startReflector<ConfigMap>({
    clock,
    random: () => 0.5,
    source: {
      list: async (options) => {
        listed.push(options);
        const answer = lists.length > 1 ? lists.shift() : lists[0];
        if (answer === undefined || answer instanceof Error) throw answer;
        return answer;
      },
      watch: watches.watch,
    },
    sink: {
      transform: (each) => each,
      replace: (objects) => events.push(`= ${objects.map(({ metadata }) => metadata.name).join(' ')}`),
      apply: (type, { metadata }) => events.push(`${type} ${metadata.name}`),
      watching: () => events.push('watching'),
      failing: (_error, retryInMs) => events.push(`failing, again in ${retryInMs}`),
    },
  });
  await clock.advance(0);
}

test('lists, then watches from the list’s version, and passes on what happens', async () => {
  await start();
  watches.latest().open();
  watches.latest().send(event('ADDED', 'b', '11'), event('BOOKMARK', '', '15'), event('DELETED', 'a', '16'));
  await clock.advance(0);
  expect(watches.latest().options.resourceVersion).toBe('10');
  expect(events).toEqual(['= a', 'watching', 'ADDED b', 'DELETED a']);
});

describe('a list', () => {
  test('is read page by page and counts when it is complete', async () => {
    lists = [
      { items: [object('a', '1')], resourceVersion: '10', continue: 'more' },
      { items: [object('b', '2')], resourceVersion: '10' },
    ];
    await start();
    expect(listed).toMatchObject([{ limit: 500 }, { limit: 500, continue: 'more' }]);
    expect(events).toEqual(['= a b']);
  });

  test('whose version expires between pages starts again, the last time without pages', async () => {
    const begun = { items: [object('a', '1')], resourceVersion: '10', continue: 'more' };
    lists = [
      begun,
      answered(410),
      begun,
      answered(410),
      { items: [object('z', '9')], resourceVersion: '90' },
    ];
    await start();
    expect(listed.map(({ limit, continue: token }) => [limit, token])).toEqual([
      [500, undefined],
      [500, 'more'],
      [500, undefined],
      [500, 'more'],
      [0, undefined],
    ]);
    expect(events).toEqual(['= z']);
    expect(watches.latest().options.resourceVersion).toBe('90');
  });

  test('whose pages are too large is asked for in smaller ones', async () => {
    const tooLarge = new ResponseTooLargeError('too large');
    lists = [
      { items: [object('a', '1')], resourceVersion: '10', continue: 'b' },
      ...[tooLarge, tooLarge],
      { items: [object('b', '2')], resourceVersion: '10', continue: 'c' },
      ...[tooLarge, tooLarge, tooLarge],
      { items: [object('c', '3')], resourceVersion: '10', continue: 'd' },
      { items: [object('d', '4')], resourceVersion: '10' },
    ];
    await start();
    // Of one object a page may be as large as any response.
    const bytes = 4 * 1024 * 1024;
    expect(listed.map(({ limit, maxBytes, continue: token }) => [limit, maxBytes, token])).toEqual([
      [500, bytes, undefined],
      [500, bytes, 'b'],
      [125, bytes, 'b'],
      [31, bytes, 'b'],
      [62, bytes, 'c'],
      [15, bytes, 'c'],
      [3, bytes, 'c'],
      [1, undefined, 'c'],
      [2, bytes, 'd'],
    ]);
    expect(events).toEqual(['= a b c d']);
    expect(watches.latest().options.resourceVersion).toBe('10');
  });

  test.each<[string, Error]>([
    ['refused while RBAC is late', answered(403)],
    ['unknown while the CRD is late', answered(404)],
    ['refused while a token is late', answered(401)],
    ['unanswered', unreachable],
    ['broken by a fault of ours', new TypeError('x is not a function')],
  ])('that is %s is tried until it succeeds', async (_what, error) => {
    lists = [
      ...Array.from({ length: 20 }, () => error),
      { items: [object('a', '1')], resourceVersion: '10' },
    ];
    await start();
    await clock.advance(20 * 30_000);
    expect(listed).toHaveLength(21);
    expect(events).toContain('= a');
  });

  test('that is throttled is repeated when the server said, not before', async () => {
    lists = [answered(429, 7000), { items: [], resourceVersion: '10' }];
    await start();
    await clock.advance(6999);
    expect(listed).toHaveLength(1);
    await clock.advance(1);
    expect(listed).toHaveLength(2);
  });
});

describe('a watch that ends', () => {
  test('in order goes on at once from the last version, without a list', async () => {
    await start();
    watches.latest().open();
    watches.latest().send(event('MODIFIED', 'a', '12'), event('BOOKMARK', '', '40'));
    await clock.advance(5000);
    watches.latest().end();
    await clock.advance(0);
    expect(watches.all).toHaveLength(2);
    expect(watches.latest().options.resourceVersion).toBe('40');
    expect(listed).toHaveLength(1);
    expect(events).not.toContainEqual(expect.stringContaining('failing'));
  });

  test('regularly but at once is restarted after a delay, to prevent a busy loop', async () => {
    await start();
    for (let i = 0; i < 3; i++) {
      watches.latest().open();
      watches.latest().end();
      await clock.advance(799);
      expect(watches.all).toHaveLength(i + 1);
      await clock.advance(1);
    }
    expect(watches.all).toHaveLength(4);
  });

  test('because its connection was lost continues from the last version after a delay', async () => {
    await start();
    watches.latest().open();
    watches.latest().send(event('ADDED', 'b', '33'));
    await clock.advance(2000);
    watches.latest().fail(unreachable);
    await clock.advance(800);
    expect(watches.latest().options.resourceVersion).toBe('33');
    expect(listed).toHaveLength(1);
  });

  test('again and again is reconnected each time after the shortest wait, since the server accepts it', async () => {
    await start();
    for (let i = 0; i < 20; i++) {
      watches.latest().open();
      await clock.advance(10);
      watches.latest().fail(unreachable);
      await clock.advance(800);
    }
    expect(watches.all).toHaveLength(21);
  });

  test('because its version is too old leads to a fresh list at once', async () => {
    await start();
    watches.latest().open();
    await clock.advance(5000);
    lists = [{ items: [object('b', '90')], resourceVersion: '99' }];
    watches.latest().fail(answered(410));
    await clock.advance(0);
    expect(events).toEqual(['= a', 'watching', '= b']);
    expect(watches.latest().options.resourceVersion).toBe('99');
  });

  test('because every version is too old does not make us hammer the server', async () => {
    await start();
    for (let i = 0; i < 3; i++) {
      watches.latest().fail(answered(410));
      await clock.advance(0);
    }
    expect(listed).toHaveLength(1);
    await clock.advance(800);
    expect(listed).toHaveLength(2);
  });

  describe('again and again without an event or bookmark', () => {
    test.each<[string, number, (watch: ControlledWatch<ConfigMap>) => void]>([
      ['as it has an event that cannot be read', 31_000, (watch) => watch.fail(answered(500))],
      ['at once', 31_000, (watch) => watch.end()],
      [
        'as its version is invalid since another server took over',
        31_000,
        (watch) => watch.fail(answered(400)),
      ],
      ['as the version is of the future, after a restore of etcd', 131_000, () => undefined],
    ])('%s, leads to a fresh list', async (_what, ms, act) => {
      await start();
      lists = [{ items: [object('b', '5')], resourceVersion: '6' }];
      for (let i = 0; i < 3; i++) {
        watches.latest().open();
        act(watches.latest());
        await clock.advance(ms);
      }
      expect(events).toContain('= b');
      expect(watches.latest().options.resourceVersion).toBe('6');
      expect(listed).toHaveLength(2);
    });

    test('leads to no further list after the first event', async () => {
      await start();
      for (let i = 0; i < 10; i++) {
        watches.latest().open();
        watches.latest().send(event('BOOKMARK', '', String(20 + i)));
        await clock.advance(131_000);
      }
      expect(listed).toHaveLength(1);
    });
  });

  test('since the kind is gone keeps on asking, and finds it when it is back', async () => {
    await start();
    watches.latest().fail(answered(404));
    for (let i = 0; i < 10; i++) {
      await clock.advance(5000);
      if (watches.latest().isOpen()) watches.latest().fail(answered(404));
    }
    await clock.advance(5000);
    watches.latest().open();
    await clock.advance(0);
    expect(events.at(-1)).toBe('watching');
  });
});

test('being stopped ends the watch, leaves no timer and emits no more events', async () => {
  await start();
  watches.latest().open();
  watches.latest().send(event('ADDED', 'b', '11'));
  stop();
  await clock.advance(60_000);
  expect(watches.latest().isOpen()).toBe(false);
  expect(clock.pending()).toBe(0);
  expect(events).toEqual(['= a', 'watching']);
});
