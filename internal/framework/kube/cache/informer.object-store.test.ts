import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type KubeObject, keyOf, keyString } from '../object/object.ts';
import type { CacheEvent } from './cache.ts';
import { createObjectStore } from './informer.ts';

const object = (name: string, version: number, uid = 'u'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'shop', resourceVersion: String(version), uid },
});

/** The objects that a handler knows from events. */
function listener() {
  const known = new Map<string, KubeObject>();
  return {
    known,
    hear: (events: readonly (CacheEvent<KubeObject> | undefined)[]) => {
      for (const event of events) {
        if (!event) continue;
        const key = keyString(keyOf(event.object));
        // Each event must fit what is known: nothing appears twice or goes without having been there.
        expect(known.has(key)).toBe(event.type !== 'added');
        if (event.type === 'deleted') known.delete(key);
        else known.set(key, event.object);
      }
    },
  };
}

test('whatever is listed, watched or missed, events alone lead to the same objects as the store', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const one = fc.record({ name, version: fc.nat(5), uid: fc.constantFrom('u', 'v') });
  const list = fc.uniqueArray(one, { selector: (each) => each.name });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('replace' as const), list }),
    fc.record({ kind: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), one }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const store = createObjectStore();
      const { known, hear } = listener();
      for (const each of steps) {
        if ('list' in each) {
          hear(
            store.replace(
              each.list.map((o) => object(o.name, o.version, o.uid)),
              false,
            ),
          );
        } else {
          hear([store.apply(each.kind, object(each.one.name, each.one.version, each.one.uid))]);
        }
        const keys = new Set([...known.keys(), ...store.list().map((o) => keyString(keyOf(o)))]);
        for (const key of keys) expect(known.get(key)).toEqual(store.get(key));
      }
    }),
  );
});

describe('a list after a gap', () => {
  test('returns exactly the differences', () => {
    const store = createObjectStore();
    store.replace([object('a', 1), object('b', 1), object('c', 1)], true);
    const events = store.replace([object('a', 1), object('b', 2), object('d', 3)], false);
    expect(events).toEqual([
      { type: 'updated', old: object('b', 1), object: object('b', 2) },
      { type: 'added', object: object('d', 3), initial: false },
      { type: 'deleted', object: object('c', 1) },
    ]);
  });

  test('keeps the instance of an object that did not change', () => {
    const store = createObjectStore();
    const [first, again] = [object('a', 1), object('a', 1)];
    store.replace([first], true);
    store.replace([again], false);
    expect(store.get('shop/a')).toBe(first);
  });

  test('returns a deletion and a creation if another object has the name', () => {
    const store = createObjectStore();
    store.replace([object('a', 1, 'old')], true);
    expect(store.replace([object('a', 5, 'new')], false).map(({ type }) => type)).toEqual([
      'deleted',
      'added',
    ]);
  });
});

test('events that are repeated after a reconnect are no changes', () => {
  const store = createObjectStore();
  store.replace([object('a', 1)], true);
  expect(store.apply('ADDED', object('a', 1))).toBeUndefined();
  expect(store.apply('DELETED', object('b', 2))).toBeUndefined();
});
