import { describe, expect, test } from '@jest/globals';
import type { CacheEvent, ObjectCache } from '../kube/cache.ts';
import { createFakeCache } from '../kube/fakes/fake-cache.ts';
import { namespacedWidgets, type Widget, widget } from './fakes/managed-harness.ts';
import { LOW_PRIORITY } from './queue/work-queue.ts';
import { cacheSource } from './source.ts';

const at = (resourceVersion: string) => widget(namespacedWidgets, { metadata: { resourceVersion } });

function setup(accepts?: (old: Widget, object: Widget) => boolean) {
  let handler: (event: CacheEvent<Widget>) => void = () => undefined;
  const added: unknown[] = [];
  const cache: ObjectCache<Widget> = {
    get: () => undefined,
    list: () => [],
    hasSynced: () => true,
    whenSynced: async () => undefined,
    subscribe: (h) => {
      handler = h;
      return () => {
        handler = () => undefined;
      };
    },
  };
  const source = cacheSource(cache, accepts === undefined ? {} : { accepts });
  const stop = source.start((key, options) => added.push([key, options]));
  return { added, stop, tell: (event: CacheEvent<Widget>) => handler(event) };
}

describe('cacheSource', () => {
  test('has the problems of its cache', () => {
    const problem = { text: 'it is forbidden', forMs: 1 };
    const cache = { ...createFakeCache<Widget>(), problem: () => problem };
    expect(cacheSource(cache).problem?.()).toBe(problem);
  });

  test('the first list may wait for everything else, but needs no allowance', () => {
    const { added, tell } = setup();
    tell({ type: 'added', object: at('1'), initial: true });
    expect(added).toEqual([['shop/w', { priority: LOW_PRIORITY }]]);
  });

  test('what is new, changed or gone goes first', () => {
    const { added, tell } = setup();
    tell({ type: 'added', object: at('1'), initial: false });
    tell({ type: 'updated', object: at('2'), old: at('1') });
    tell({ type: 'deleted', object: at('2') });
    expect(added).toEqual([
      ['shop/w', {}],
      ['shop/w', {}],
      ['shop/w', undefined],
    ]);
  });

  test('a resync that changed nothing is routine', () => {
    const { added, tell } = setup();
    tell({ type: 'updated', object: at('1'), old: at('1') });
    expect(added).toEqual([['shop/w', { priority: LOW_PRIORITY, paced: true }]]);
  });

  test('updates that are not accepted add nothing; creations and deletions are not asked about', () => {
    const { added, tell } = setup(() => false);
    tell({ type: 'updated', object: at('2'), old: at('1') });
    expect(added).toEqual([]);
    tell({ type: 'deleted', object: at('2') });
    expect(added).toHaveLength(1);
  });

  test('after its end nothing is added', () => {
    const { added, stop, tell } = setup();
    stop();
    tell({ type: 'added', object: at('1'), initial: false });
    expect(added).toEqual([]);
  });
});
