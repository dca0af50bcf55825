import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { createInformer, type Informer } from '../cache/informer.ts';
import { isGone } from '../errors/errors.ts';
import { createMemoryClient, type MemoryClient } from './memory-client.ts';
import { clusterWidgets as type, type Widget, widget } from './widget.ts';

let clock: FakeClock;
let client: MemoryClient;
let informer: Informer<Widget>;
/** `updated 1→3` with the sizes before and after. */
let events: string[];
let stop: () => void;

const key = { name: 'w' };
const sizeOf = (object: Widget | undefined) => object?.spec.forProvider.size;
const resize = (size: number) => client.mergePatch(type, key, { spec: { forProvider: { size } } });

beforeEach(async () => {
  clock = createFakeClock();
  client = createMemoryClient({ clock });
  client.seed(type, widget(type, { spec: { forProvider: { size: 1 } } }));
  informer = createInformer({ client, type, clock, random: () => 0.5, log: nopLogger });
  events = [];
  informer.subscribe((event) => {
    const before = event.type === 'updated' ? `${sizeOf(event.old)}→` : '';
    events.push(`${event.type} ${before}${sizeOf(event.object)}`);
  });
  stop = informer.start();
  await clock.advance(0);
  events.splice(0);
});
afterEach(() => stop());

test('a cache is stale while watches are held, and gets every event when they are released', async () => {
  const release = client.holdWatches();
  await resize(2);
  await resize(3);
  await clock.advance(1000);
  expect(events).toEqual([]);
  expect(sizeOf(informer.get('w'))).toBe(1);
  expect(sizeOf(await client.get(type, key))).toBe(3);
  release();
  await clock.advance(0);
  expect(events).toEqual(['updated 1→2', 'updated 2→3']);
});

test('of two holds, the first release frees nothing that the other one withholds', async () => {
  const releases = [client.holdWatches(), client.holdWatches()];
  await resize(2);
  for (const [index, release] of releases.entries()) {
    release();
    await clock.advance(0);
    expect(events).toHaveLength(index);
  }
});

test('an informer whose watch expired lists again, and sees several changes as one', async () => {
  client.holdWatches();
  await resize(2);
  await resize(3);
  await clock.advance(1000);
  client.expireWatches();
  await clock.advance(10_000);
  expect(events).toEqual(['updated 1→3']);
});

test('an object that was replaced meanwhile is deleted and added', async () => {
  client.holdWatches();
  await resize(2);
  await client.delete(type, key);
  await client.create(type, widget(type, { spec: { forProvider: { size: 4 } } }));
  client.expireWatches();
  await clock.advance(10_000);
  expect(events).toEqual(['deleted 1', 'added 4']);
});

test('an object that came and went meanwhile is not seen', async () => {
  client.holdWatches();
  await client.create(type, widget(type, { metadata: { name: 'other' } }));
  await client.delete(type, { name: 'other' });
  client.expireWatches();
  await clock.advance(10_000);
  expect(events).toEqual([]);
});

test('without changes, an informer whose watch expired emits nothing, and follows again', async () => {
  client.expireWatches();
  await clock.advance(10_000);
  expect(events).toEqual([]);
  await resize(2);
  await clock.advance(0);
  expect(events).toEqual(['updated 1→2']);
});

test('an idle watch is kept open by bookmarks, and opened again when its time is over', async () => {
  const before = client.requests.length;
  await clock.advance(3_600_000);
  const verbs = client.requests.slice(before).map(({ verb }) => verb);
  // Each lasts 450 s.
  expect(verbs).toEqual(Array.from({ length: 8 }, () => 'watch'));
});

test('a watch has bookmarks each minute and 2 s before its end, with the version of what was delivered', async () => {
  const { resourceVersion } = await client.list(type);
  const bookmarks: string[] = [];
  const watch = (async () => {
    for await (const event of client.watch(type, { resourceVersion, timeoutSeconds: 100 }))
      bookmarks.push(`${event.type} ${clock.monotonic() / 1000} ${event.object.metadata.resourceVersion}`);
  })();
  await clock.advance(0);
  client.holdWatches();
  await resize(2);
  await clock.advance(100_000);
  await watch;
  expect(bookmarks).toEqual([`BOOKMARK 60 ${resourceVersion}`, `BOOKMARK 98 ${resourceVersion}`]);
});

test('a continue token expires as well', async () => {
  client.seed(type, widget(type, { metadata: { name: 'other' } }));
  const { continue: token = '' } = await client.list(type, { limit: 1 });
  await resize(2);
  client.expireWatches();
  const refused = await client.list(type, { limit: 1, continue: token }).catch((error: unknown) => error);
  expect(isGone(refused)).toBe(true);
});

test('events are kept up to a number: a watch that is further behind fails with 410', async () => {
  const small = createMemoryClient({ clock, maxEvents: 4 });
  small.seed(type, widget(type, { spec: { forProvider: { size: 0 } } }));
  const { resourceVersion } = await small.list(type);
  for (const size of [1, 2, 3, 4]) await small.mergePatch(type, key, { spec: { forProvider: { size } } });
  const follow = async (from: string, count: number) => {
    const sizes: unknown[] = [];
    for await (const { object } of small.watch(type, { resourceVersion: from })) {
      if (sizes.push(sizeOf(object as Widget)) === count) break;
    }
    return sizes;
  };
  expect(isGone(await follow(resourceVersion, 1).catch((error: unknown) => error))).toBe(true);
  const { resourceVersion: current } = await small.list(type);
  await small.mergePatch(type, key, { spec: { forProvider: { size: 5 } } });
  expect(await follow(current, 1)).toEqual([5]);
});
