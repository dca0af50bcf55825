import { describe, expect, test } from '@jest/globals';
import { clusterWidgets, type Widget, widget } from '../../kube/fakes/widget.ts';
import { createKeyStore } from '../key-store.ts';
import { createOwnWrites, type WrittenVersions } from './own-writes.ts';

const at = (resourceVersion: string, uid = 'u') =>
  widget(clusterWidgets, { metadata: { resourceVersion, uid } });

const create = () => createOwnWrites(createKeyStore().values<WrittenVersions<Widget>>('own writes'));

describe('own writes', () => {
  test('until the cache has seen a write, the written object is the newest', () => {
    const own = create();
    const written = at('10');
    own.wrote(written, false);
    expect(own.newest('w', at('9'))).toBe(written);
    const cached = at('10');
    expect(own.newest('w', cached)).toBe(cached);
    own.onHandled(cached);
    expect(own.newest('w', at('9'))).not.toBe(written);
  });

  test('a later version in the cache wins, also one with more digits', () => {
    const own = create();
    own.wrote(at('9'), false);
    const later = at('10');
    expect(own.newest('w', later)).toBe(later);
  });

  test('an object that is gone is not brought back', () => {
    const own = create();
    own.wrote(at('10'), false);
    expect(own.newest('w', undefined)).toBeUndefined();
  });

  test('an object created again under the same name is not mistaken for the old one', () => {
    const own = create();
    own.wrote(at('10', 'old'), false);
    const anew = at('9', 'new');
    expect(own.newest('w', anew)).toBe(anew);
  });

  test('versions that are no numbers have no order, and the cache is believed', () => {
    const own = create();
    own.wrote(at('b'), false);
    const cached = at('a');
    expect(own.newest('w', cached)).toBe(cached);
  });

  test('a write that removes the last finalizer is newer than the cache, although the API server responds with the same version', () => {
    const own = create();
    const metadata = { resourceVersion: '10', uid: 'u', deletionTimestamp: '2026-01-01T00:00:00Z' };
    const cached = widget(clusterWidgets, { metadata: { ...metadata, finalizers: ['f'] } });
    const written = widget(clusterWidgets, { metadata: { ...metadata, finalizers: [] } });
    own.wrote(written, false);
    expect(own.newest('w', cached)).toBe(written);
    // The event of the deletion request may come late.
    own.onHandled(cached);
    expect(own.newest('w', cached)).toBe(written);
    own.onHandled(widget(clusterWidgets, { metadata: { ...metadata, resourceVersion: '11' } }));
    expect(own.newest('w', cached)).toBe(cached);
    own.wrote(widget(clusterWidgets, { metadata: { ...metadata, finalizers: ['of others'] } }), false);
    expect(own.newest('w', cached)).toBe(cached);
  });

  test('only writes marked as expected are, each of them', () => {
    const own = create();
    own.wrote(at('10'), true);
    own.wrote(at('11'), false);
    own.wrote(at('12'), true);
    expect(['9', '10', '11', '12', '13'].map((v) => own.isExpected(at(v)))).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
  });
});
