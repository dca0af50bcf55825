import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../framework/base/time/fake-clock.ts';
import { NoResponseError } from '../../../framework/http/index.ts';
import type { InstanceMapping, MappingList } from './hana-cloud-client.ts';
import { createSharedLists, type ListKey, SPACING_MS } from './shared-lists.ts';

const FRESH_MS = 5000;
const never = new AbortController().signal;
const key: ListKey = { credentialsID: 'c', serviceInstanceID: 'i' };
const listed = (...names: string[]): MappingList => ({
  state: 'listed',
  mappings: names.map(
    (primaryID): InstanceMapping => ({ platform: 'kubernetes', primaryID, isDefault: false }),
  ),
});
const any = () => true;

/** HANA Cloud whose responses the test controls. */
function setUp() {
  const clock = createFakeClock();
  const lists = createSharedLists({ clock, freshMs: FRESH_MS });
  const asked: {
    resolve(list: MappingList): void;
    reject(error: unknown): void;
    readonly signal: AbortSignal;
  }[] = [];
  const fetch = (signal: AbortSignal) =>
    new Promise<MappingList>((resolve, reject) => {
      asked.push({ resolve, reject, signal });
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  const settle = () => clock.advance(0);
  /** The next list of the instance may begin. */
  const untilNext = () => clock.advance(SPACING_MS);
  return { clock, lists, asked, fetch, settle, untilNext };
}

describe('a list', () => {
  test('that is under way is shared by all who ask with the same credentials', async () => {
    const { lists, asked, fetch, settle } = setUp();
    const both = [lists.list(key, fetch, never), lists.list(key, fetch, never)];
    await settle();
    expect(asked).toHaveLength(1);
    asked[0]?.resolve(listed('a'));
    expect(await Promise.all(both)).toEqual([listed('a'), listed('a')]);
  });

  test('is never shared with other credentials, or for another instance', async () => {
    const { lists, asked, fetch, settle } = setUp();
    const first = lists.list(key, fetch, never, any);
    await settle();
    asked[0]?.resolve(listed('a'));
    await first;
    void lists.list({ ...key, credentialsID: 'other' }, fetch, never, any).catch(() => undefined);
    void lists.list({ ...key, serviceInstanceID: 'other' }, fetch, never, any).catch(() => undefined);
    await settle();
    expect(asked).toHaveLength(3);
    lists.clear();
  });

  test.each([
    { age: FRESH_MS - 1, isEnough: any, asks: 0, reason: 'it is young enough and tells all that is wanted' },
    { age: FRESH_MS, isEnough: any, asks: 1, reason: 'it is too old' },
    { age: 0, isEnough: () => false, asks: 1, reason: 'it does not tell what is wanted' },
    { age: 0, isEnough: undefined, asks: 1, reason: 'a list that exists already is not wanted' },
  ])('that was fetched before is used again or not: $reason', async ({ age, isEnough, asks }) => {
    const { lists, asked, fetch, settle, untilNext, clock } = setUp();
    const first = lists.list(key, fetch, never);
    await settle();
    asked[0]?.resolve(listed('a'));
    await first;
    await clock.advance(age);
    const second = lists.list(key, fetch, never, isEnough);
    await untilNext();
    expect(asked).toHaveLength(1 + asks);
    asked[1]?.resolve(listed('b'));
    expect(await second).toEqual(asks === 0 ? listed('a') : listed('b'));
  });

  test('is not kept for longer than it can be of use, however many instances there are', async () => {
    const { lists, asked, fetch, settle, clock } = setUp();
    for (let number = 0; number < 100; number++) {
      const list = lists.list({ ...key, serviceInstanceID: String(number) }, fetch, never);
      await settle();
      asked[number]?.resolve(listed('a'));
      await list;
      await clock.advance(FRESH_MS / 10);
      expect(lists.size()).toBeLessThanOrEqual(10);
    }
  });

  test('with a text that is too long for it is used once and not kept', async () => {
    const { lists, asked, fetch, settle } = setUp();
    for (const [index, name] of ['a', 'x'.repeat(4_000_000)].entries()) {
      const list = lists.list({ ...key, serviceInstanceID: String(index) }, fetch, never);
      await settle();
      asked[index]?.resolve(listed(name));
      expect(await list).toEqual(listed(name));
    }
    expect(lists.size()).toBe(1);
  });

  test('is not kept where many others take the bytes that all have together', async () => {
    const { lists, asked, fetch, settle } = setUp();
    for (let number = 0; number < 100; number++) {
      const list = lists.list({ ...key, serviceInstanceID: String(number) }, fetch, never);
      await settle();
      asked[number]?.resolve(listed('x'.repeat(1_000_000)));
      await list;
    }
    expect(lists.size()).toBeLessThan(30);
  });

  test('is as old as the request for it, since the answer may take long', async () => {
    const { lists, asked, fetch, settle, clock } = setUp();
    const first = lists.list(key, fetch, never);
    await clock.advance(FRESH_MS);
    asked[0]?.resolve(listed('a'));
    await first;
    void lists.list(key, fetch, never, any).catch(() => undefined);
    await settle();
    expect(asked).toHaveLength(2);
    lists.clear();
  });

  test.each(['before', 'during'] as const)(
    'that was asked for %s a write is not used by later calls',
    async (when) => {
      const { lists, asked, fetch, settle, untilNext } = setUp();
      const write = Promise.withResolvers<string>();
      const begin = () => lists.list(key, fetch, never);
      const early = when === 'before' ? begin() : undefined;
      await settle();
      const writing = lists.write('i', () => write.promise);
      const list = early ?? begin();
      await settle();
      asked[0]?.resolve(listed());
      await list;
      write.resolve('created');
      expect(await writing).toBe('created');
      const after = lists.list(key, fetch, never, any);
      await untilNext();
      expect(asked).toHaveLength(2);
      asked[1]?.resolve(listed('a'));
      expect(await after).toEqual(listed('a'));
    },
  );

  test('of before a write is not used while the write is in progress: it may have taken effect', async () => {
    const { lists, asked, fetch, settle, untilNext } = setUp();
    const first = lists.list(key, fetch, never);
    await settle();
    asked[0]?.resolve(listed());
    await first;
    const write = Promise.withResolvers<string>();
    const writing = lists.write('i', () => write.promise);
    const during = lists.list(key, fetch, never, any);
    await untilNext();
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(listed('a'));
    expect(await during).toEqual(listed('a'));
    write.resolve('created');
    await writing;
  });

  test('that is in progress when a write ends is not joined any more', async () => {
    const { lists, asked, fetch, settle, untilNext } = setUp();
    const early = lists.list(key, fetch, never);
    await settle();
    await expect(lists.write('i', async () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
    const late = lists.list(key, fetch, never);
    asked[0]?.resolve(listed());
    expect(await early).toEqual(listed());
    await untilNext();
    expect(asked).toHaveLength(2);
    asked[1]?.resolve(listed('a'));
    expect(await late).toEqual(listed('a'));
  });

  test('that comes after many writes is shared by all who ask for some milliseconds', async () => {
    const { lists, asked, fetch, settle, untilNext } = setUp();
    const first = lists.list(key, fetch, never);
    await settle();
    asked[0]?.resolve(listed());
    await first;
    const after: Promise<MappingList>[] = [];
    for (let number = 0; number < 10; number++) {
      await lists.write('i', async () => 'created');
      after.push(lists.list(key, fetch, never));
      await settle();
    }
    expect(asked).toHaveLength(1);
    await untilNext();
    expect(asked).toHaveLength(2);
    // A write that begins while it is under way: who asks from now on gets another.
    await lists.write('i', async () => 'created');
    const late = lists.list(key, fetch, never);
    asked[1]?.resolve(listed('a'));
    expect(await Promise.all(after)).toEqual(after.map(() => listed('a')));
    await untilNext();
    asked[2]?.resolve(listed('b'));
    expect(await late).toEqual(listed('b'));
  });

  test('that times out also fails the calls that wait for the next one', async () => {
    const { lists, asked, fetch, settle } = setUp();
    const early = lists.list(key, fetch, never);
    await settle();
    await lists.write('i', async () => 'created');
    const late = lists.list(key, fetch, never);
    const noResponse = new NoResponseError('no answer', { code: 'timeout', sent: true, aborted: false });
    asked[0]?.reject(noResponse);
    expect(await Promise.allSettled([early, late])).toEqual([
      { status: 'rejected', reason: noResponse },
      { status: 'rejected', reason: noResponse },
    ]);
    expect(asked).toHaveLength(1);
  });

  test('of one instance survives a write to another', async () => {
    const { lists, asked, fetch, settle } = setUp();
    const first = lists.list(key, fetch, never);
    await settle();
    asked[0]?.resolve(listed('a'));
    await first;
    await lists.write('other', async () => undefined);
    expect(await lists.list(key, fetch, never, any)).toEqual(listed('a'));
  });
});
