import { describe, expect, test } from '@jest/globals';
import { createFakeCache } from '../../../../framework/kube/fakes/fake-cache.ts';
import { type TestMapping, testKind } from '../mapping.fixture.ts';
import { api, isAnothers, recorded, setup, x } from './mapping-claims.fixture.ts';

describe('the source', () => {
  test('has synced when all kinds have synced', async () => {
    const { index, source } = setup([]);
    const other = createFakeCache<TestMapping>();
    other.setSynced(false);
    index
      .of(testKind)
      .source(other, 'others.example.org')
      .start(() => undefined);
    let synced = false;
    const waiting = source.whenSynced(new AbortController().signal).then(() => {
      synced = true;
    });
    await Promise.resolve();
    expect([synced, source.hasSynced()]).toEqual([false, false]);
    other.setSynced(true);
    await waiting;
    expect(source.hasSynced()).toBe(true);
  });

  test('has synced with the lists, also if nothing waited for it', () => {
    const { cache, source } = setup([]);
    expect(source.hasSynced()).toBe(true);
    cache.setSynced(false);
    expect(source.hasSynced()).toBe(false);
  });

  test('waits for other kinds only for a short time', async () => {
    const { clock, index, source } = setup([]);
    const other = createFakeCache<TestMapping>();
    other.setSynced(false);
    index
      .of(testKind)
      .source(other, 'others.example.org')
      .start(() => undefined);
    const waiting = source.whenSynced(new AbortController().signal);
    await clock.advance(999);
    expect(source.hasSynced()).toBe(false);
    await clock.advance(1);
    await waiting;
    expect(source.hasSynced()).toBe(true);
  });

  test('drops the claims of a removed kind, and rivals of other kinds are requeued', () => {
    const { cache, claims, index, stop, requeued } = setup([recorded('anna')]);
    const other = createFakeCache<TestMapping>([recorded('bert')]);
    const rivals: string[] = [];
    index
      .of(testKind)
      .source(other, 'others.example.org')
      .start((key) => rivals.push(key));
    rivals.length = 0;
    stop();
    cache.remove(recorded('anna'));
    expect({ requeued, rivals }).toEqual({ requeued: [], rivals: ['bert'] });
    // The kind is not waited for any more.
    cache.setSynced(false);
    expect(() => claims.assertDecided(recorded('bert'), x, api, 'delete it')).not.toThrow();
  });

  test('is not waited for if it was never started', () => {
    const { claims, index } = setup([recorded('bert')]);
    const other = createFakeCache<TestMapping>();
    other.setSynced(false);
    index.of(testKind).source(other, 'others.example.org');
    expect(() => claims.assertDecided(recorded('bert'), x, api, 'delete it')).not.toThrow();
  });

  test('does not requeue after it was stopped', () => {
    const { cache, requeued, stop } = setup([recorded('anna'), recorded('bert')]);
    stop();
    cache.remove(recorded('anna'));
    expect(requeued).toEqual([]);
  });

  test('reads no claims after it was stopped, and ignores the deletion of a resource that it never read', () => {
    const { cache, index, stop } = setup([]);
    const bert = recorded('bert');
    const other = index.of(testKind);
    other.source(createFakeCache([bert]), 'others.example.org').start(() => undefined);
    stop();
    cache.put(recorded('anna'));
    expect(isAnothers(other, bert, x, api)).toBe(false);
    expect(() => cache.remove(recorded('anna'))).not.toThrow();
    expect(isAnothers(other, bert, x, api)).toBe(false);
  });
});

test('a kind that starts again has one subscription, not one for each start', () => {
  const { index } = setup([]);
  const cache = createFakeCache<TestMapping>();
  let subscribed = 0;
  const counted: typeof cache = {
    ...cache,
    subscribe: (handler) => {
      const end = cache.subscribe(handler);
      subscribed++;
      return () => {
        subscribed--;
        end();
      };
    },
  };
  for (let start = 1; start <= 3; start++) {
    index
      .of(testKind)
      .source(counted, 'restarted.example.org')
      .start(() => undefined)();
  }
  expect(subscribed).toBe(1);
});
