import { describe, expect, test } from '@jest/globals';
import type { CacheEvent, ObjectCache } from '../../kube/cache/cache.ts';
import { createFakeCache } from '../../kube/fakes/fake-cache.ts';
import { namespacedWidgets, type Widget, widget } from '../../kube/fakes/widget.ts';
import type { OwnerReference } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { LOW_PRIORITY } from '../queue/work-queue.ts';
import { availabilityOf, channel, mapped, ofType, ownedBy } from './source.ts';

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
  const source = ofType(cache, accepts);
  const stop = source.start((key, options) => added.push([key, options]));
  return { added, stop, notify: (event: CacheEvent<Widget>) => handler(event) };
}

describe('ofType', () => {
  test('has the problems of its cache', () => {
    const problem = { text: 'it is forbidden', forMs: 1 };
    const cache = { ...createFakeCache<Widget>(), problem: () => problem };
    expect(ofType(cache).problem?.()).toBe(problem);
  });

  test('the first list may wait for everything else, but needs no allowance', () => {
    const { added, notify } = setup();
    notify({ type: 'added', object: at('1'), initial: true });
    expect(added).toEqual([['shop/w', { priority: LOW_PRIORITY }]]);
  });

  test('what is new, changed or gone goes first', () => {
    const { added, notify } = setup();
    notify({ type: 'added', object: at('1'), initial: false });
    notify({ type: 'updated', object: at('2'), old: at('1') });
    notify({ type: 'deleted', object: at('2') });
    expect(added).toEqual([
      ['shop/w', {}],
      ['shop/w', {}],
      ['shop/w', undefined],
    ]);
  });

  test('a resync that changed nothing has low priority', () => {
    const { added, notify } = setup();
    notify({ type: 'updated', object: at('1'), old: at('1') });
    expect(added).toEqual([['shop/w', { priority: LOW_PRIORITY, paced: true }]]);
  });

  test('updates that are not accepted add nothing; creations and deletions are not asked about', () => {
    const { added, notify } = setup(() => false);
    notify({ type: 'updated', object: at('2'), old: at('1') });
    expect(added).toEqual([]);
    notify({ type: 'deleted', object: at('2') });
    expect(added).toHaveLength(1);
  });

  test('after its end nothing is added', () => {
    const { added, stop, notify } = setup();
    stop();
    notify({ type: 'added', object: at('1'), initial: false });
    expect(added).toEqual([]);
  });
});

describe('mapped', () => {
  const named = (name: string, resourceVersion: string, targets: string) =>
    widget(namespacedWidgets, { metadata: { name, resourceVersion, annotations: { targets } } });
  const targetsOf = ({ metadata }: Widget) => (metadata.annotations?.targets ?? '').split(',');

  function setupMapped(options?: Parameters<typeof mapped<Widget>>[2]) {
    const cache = createFakeCache([named('w', '1', 'a,b')]);
    const added: unknown[] = [];
    const stop = mapped(cache, targetsOf, options).start((key, more) => added.push([key, more]));
    return { cache, stop, added: () => added.splice(0) };
  }

  test('each object adds the requests that the map function names, the first list with low priority', () => {
    const { added } = setupMapped();
    expect(added()).toEqual([
      ['a', { priority: LOW_PRIORITY, delayMs: 0 }],
      ['b', { priority: LOW_PRIORITY, delayMs: 0 }],
    ]);
  });

  test('an update adds the requests of both versions, each once', () => {
    const { cache, added } = setupMapped();
    added();
    cache.put(named('w', '2', 'b,c'));
    expect(added()).toEqual(['a', 'b', 'c'].map((key) => [key, { delayMs: 0 }]));
  });

  test('a resync adds nothing, nor does an update that the predicate refuses', () => {
    const { cache, added } = setupMapped();
    added();
    cache.put(named('w', '1', 'a,b'));
    expect(added()).toEqual([]);
    const picky = setupMapped({ predicate: () => false });
    picky.added();
    picky.cache.put(named('w', '2', 'c'));
    expect(picky.added()).toEqual([]);
    picky.cache.remove(named('w', '2', 'c'));
    expect(picky.added()).toEqual([['c', { delayMs: 0 }]]);
  });

  test('a request can be delayed', () => {
    const { added } = setupMapped({ delayMs: (key) => (key === 'a' ? 500 : 0) });
    expect(added()).toContainEqual(['a', { priority: LOW_PRIORITY, delayMs: 500 }]);
  });
});

describe('ownedBy', () => {
  const owned = (over: Partial<OwnerReference>) =>
    widget(namespacedWidgets, {
      metadata: {
        namespace: 'shop',
        ownerReferences: [
          { apiVersion: 'example.org/v2', kind: 'Owner', name: 'o', uid: 'u', controller: true, ...over },
        ],
      },
    });
  const type = { group: 'example.org', version: 'v1', kind: 'Owner', plural: 'owners', namespaced: true };
  const requestsOf = (object: Widget, owner: ResourceType = type) => {
    const added: string[] = [];
    ownedBy(createFakeCache([object]), owner).start((key) => added.push(key));
    return added;
  };

  test.each([
    { over: {}, keys: ['shop/o'], reason: 'any version of the kind counts' },
    { over: { controller: false }, keys: [], reason: 'only the controller reconciles it' },
    { over: { kind: 'Another' }, keys: [], reason: 'another kind owns it' },
    { over: { apiVersion: 'another.org/v1' }, keys: [], reason: 'another group owns it' },
    { over: { apiVersion: 'v1' }, keys: [], reason: 'the core group owns it' },
  ])('an object owned by $over adds $keys: $reason', ({ over, keys }) => {
    expect(requestsOf(owned(over))).toEqual(keys);
  });

  test('a cluster-scoped owner has no namespace', () => {
    expect(requestsOf(owned({}), { ...type, namespaced: false })).toEqual(['o']);
  });
});

describe('availabilityOf', () => {
  test('requests what the cluster concerns when it has a problem and when that has ended, and only then', () => {
    let notify: () => void = () => undefined;
    const onProblem = (listener: () => void) => {
      notify = listener;
      return () => {
        notify = () => undefined;
      };
    };
    const source = availabilityOf({ name: 'other', required: false, onProblem }, () => ['a', 'b']);
    const added: string[] = [];
    const stop = source.start((key) => added.push(key));
    expect([added, source.hasSynced(), source.cluster?.required]).toEqual([[], true, false]);
    notify();
    expect(added).toEqual(['a', 'b']);
    stop();
    notify();
    expect(added).toEqual(['a', 'b']);
  });
});

describe('channel', () => {
  test('sends between start and stop', () => {
    const added: unknown[] = [];
    const source = channel();
    source.send('early');
    const stop = source.start((key, options) => added.push([key, options]));
    source.send('now', { delayMs: 5 });
    stop();
    source.send('late');
    expect(added).toEqual([['now', { delayMs: 5 }]]);
    expect(source.hasSynced()).toBe(true);
  });
});
