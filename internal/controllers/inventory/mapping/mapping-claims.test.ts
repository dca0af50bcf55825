import { describe, expect, test } from '@jest/globals';
import { createFakeClock } from '../../../base/fake-clock.ts';
import { createFakeCache } from '../../../kube/fakes/fake-cache.ts';
import { annotationExternalName } from '../../../runtime/managed/meta.ts';
import { mappingOf, type TestMapping, testKind, testNames } from './mapping.fixture.ts';
import { createMappingClaims } from './mapping-claims.ts';
import type { MappingKind } from './mapping-kind.ts';

const x = mappingOf('i-1');
const y = mappingOf('i-2');
/** Days of January by name: who comes first in the alphabet is older. */
const dayOf = { anna: '01', bert: '02', carl: '03' } as const;
type Name = keyof typeof dayOf;

function resource(name: Name, over: Partial<TestMapping> = {}): TestMapping {
  return {
    apiVersion: 'example.org/v1',
    kind: 'Mapping',
    metadata: { name, uid: `uid-${name}`, creationTimestamp: `2024-01-${dayOf[name]}T00:00:00Z` },
    spec: {},
    ...over,
  };
}
const recorded = (name: Name, over: Partial<TestMapping> = {}) =>
  resource(name, { status: { known: x }, ...over });

function setup(objects: readonly TestMapping[], kind: MappingKind<TestMapping> = testKind) {
  const clock = createFakeClock();
  const index = createMappingClaims({ clock });
  const cache = createFakeCache(objects);
  const claims = index.of(kind);
  const source = claims.source(cache);
  const woken: string[] = [];
  const stop = source.start((key) => woken.push(key));
  return { clock, index, cache, claims, source, woken, stop };
}

describe('who has a mapping', () => {
  test('is the oldest that has it on record, right after a start, whatever its kind', () => {
    const { index, claims } = setup([recorded('bert'), recorded('carl')]);
    const other = index.of(testKind);
    other.source(createFakeCache([recorded('anna')])).start(() => undefined);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(true);
    expect(() => claims.assertOwn(recorded('bert'), x)).toThrow('"i-1/c-1/shop" is that of Mapping anna');
    expect(() => other.assertOwn(recorded('anna'), x)).not.toThrow();
  });

  test('may be one that only stated it, and those who lose it by that are woken', () => {
    const { claims, woken } = setup([resource('anna'), recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
    claims.state(resource('anna'), x);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(true);
    expect(woken).toEqual(['bert']);
  });

  test('changes when the one that has it is gone, and the next one is woken', () => {
    const { cache, claims, woken } = setup([recorded('anna'), recorded('bert')]);
    cache.remove(recorded('anna'));
    expect(woken).toEqual(['bert']);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
  });

  test('changes when the one that has it moves on, once nothing of the old one is on record any more', () => {
    const { cache, claims, woken } = setup([recorded('anna'), recorded('bert')]);
    claims.state(recorded('anna'), y);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(true);
    cache.put(resource('anna', { status: { known: y } }));
    expect(woken).toEqual(['bert']);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
  });

  test('is not one that was replaced by another of its name', () => {
    const { cache, claims } = setup([recorded('anna'), recorded('bert')]);
    const { metadata } = resource('anna');
    cache.put(
      resource('anna', { metadata: { ...metadata, uid: 'new', creationTimestamp: '2024-02-01T00:00:00Z' } }),
    );
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
  });

  test('is not one that is gone and whose pass has not heard of it', () => {
    const { cache, claims } = setup([recorded('anna'), recorded('bert')]);
    cache.remove(recorded('anna'));
    claims.state(recorded('anna'), x);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
  });

  test('may be one whose create was begun and not recorded', () => {
    const begun: MappingKind<TestMapping> = {
      ...testKind,
      recordsOf: (of) => ({ ...testKind.recordsOf(of), createUnfinished: true }),
    };
    const metadata = {
      ...resource('anna').metadata,
      annotations: { [annotationExternalName]: testNames.format(x) },
    };
    const { claims } = setup([resource('anna', { metadata }), recorded('bert')], begun);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(true);
  });

  test('is not who merely names it, or an import gone wrong would stop its owner', () => {
    const metadata = {
      ...resource('anna').metadata,
      annotations: { [annotationExternalName]: testNames.format(x) },
    };
    const { claims } = setup([resource('anna', { metadata }), recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
  });

  test.each([
    { title: 'one that only observes', over: { spec: { managementPolicies: ['Observe'] } } },
    {
      title: 'the child that the Go provider made for a KymaInstanceMapping',
      over: {
        metadata: {
          ...resource('anna').metadata,
          ownerReferences: [
            {
              apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
              kind: 'KymaInstanceMapping',
              name: 'shop',
              uid: 'uid-shop',
            },
          ],
        },
      },
    },
  ])('is never $title; neither does it have rivals', ({ over }) => {
    const { claims } = setup([recorded('anna', over), recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
    expect(claims.isAnothers(recorded('anna', over), x)).toBe(false);
  });

  test('may be one that is paused, since it goes on some day', () => {
    const paused = recorded('anna', { spec: { managementPolicies: [] } });
    const { claims } = setup([paused, recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(true);
  });
});

describe('of resources in namespaces', () => {
  const inNamespace = (of: TestMapping, over: Partial<TestMapping> = {}): TestMapping => ({
    ...of,
    ...over,
    metadata: { ...of.metadata, ...over.metadata, namespace: 'tenant' },
  });
  const seen = { status: { known: x, present: true } };

  test('the older one has the mapping, of whichever scope the other is', () => {
    const { claims } = setup([inNamespace(recorded('anna'), seen), recorded('bert')]);
    expect(() => claims.assertOwn(recorded('bert'), x)).toThrow(
      '"i-1/c-1/shop" is that of Mapping tenant/anna',
    );
    const { claims: others } = setup([recorded('anna'), inNamespace(recorded('bert'), seen)]);
    expect(() => others.assertOwn(inNamespace(recorded('bert')), x)).toThrow('is that of Mapping anna');
  });

  test.each([
    { reason: 'the mapping was asked for and never seen', known: x, present: false, begun: false },
    { reason: 'a create is said to have begun', known: y, present: true, begun: true },
  ])('none has a mapping that its author merely wrote down: $reason', ({ known, present, begun }) => {
    const annotations = { [annotationExternalName]: testNames.format(x) };
    const { metadata } = resource('anna');
    const kind: MappingKind<TestMapping> = {
      ...testKind,
      recordsOf: (of) => ({ ...testKind.recordsOf(of), createUnfinished: begun }),
    };
    const forged = inNamespace(resource('anna', { metadata: { ...metadata, annotations } }), {
      status: { known, present },
      metadata: { ...metadata, annotations },
    });
    const { claims } = setup([forged, recorded('bert')], kind);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(false);
  });

  test('one that stated it counts, and is known to', () => {
    const anna = inNamespace(resource('anna'));
    const { claims, woken } = setup([anna, recorded('bert')]);
    expect(claims.counts(anna, x)).toBe(false);
    claims.state(anna, x);
    expect(claims.counts(anna, x)).toBe(true);
    expect(woken).toEqual(['bert']);
  });
});

describe('who has the default of a place', () => {
  const spec = { isDefault: true };
  test('is the oldest that asks for it, for whichever instance', () => {
    const anna = resource('anna', { spec, status: { known: y } });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x)).toThrow(
      'the default mapping of "c-1" is that of Mapping anna',
    );
    expect(() => claims.assertOwn(recorded('bert', { spec }), x)).not.toThrow();
    expect(() => claims.assertDefault(anna, y)).not.toThrow();
  });

  test('changes when the one that has it asks for it no more, and the next one is woken', () => {
    const { cache, claims, woken } = setup([recorded('anna', { spec }), recorded('bert', { spec })]);
    woken.splice(0);
    cache.put(recorded('anna'));
    expect(woken).toEqual(['bert']);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x)).not.toThrow();
  });

  test('of one place is not that of another', () => {
    const far = { ...y, primaryID: 'c-2' };
    const { claims } = setup([
      resource('anna', { spec, status: { known: far } }),
      recorded('bert', { spec }),
    ]);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x)).not.toThrow();
  });
});

describe('the source', () => {
  test('has synced when the resources of all kinds are known', async () => {
    const { index, source } = setup([]);
    const other = createFakeCache<TestMapping>();
    other.setSynced(false);
    index.of(testKind).source(other);
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

  test('waits for a kind that is not installed only for a while', async () => {
    const { clock, index, source } = setup([]);
    const other = createFakeCache<TestMapping>();
    other.setSynced(false);
    index.of(testKind).source(other);
    const waiting = source.whenSynced(new AbortController().signal);
    await clock.advance(4999);
    expect(source.hasSynced()).toBe(false);
    await clock.advance(1);
    await waiting;
    expect(source.hasSynced()).toBe(true);
  });

  test('whose kind is gone lets go of the claims of its resources, and rivals of other kinds come up', () => {
    const { cache, index, stop, woken } = setup([recorded('anna')]);
    const other = createFakeCache<TestMapping>([recorded('bert')]);
    const rivals: string[] = [];
    index
      .of(testKind)
      .source(other)
      .start((key) => rivals.push(key));
    rivals.length = 0;
    stop();
    cache.remove(recorded('anna'));
    expect({ woken, rivals }).toEqual({ woken: [], rivals: ['bert'] });
    // And it is not waited for any more.
    cache.setSynced(false);
    expect(index.of(testKind).source(other).hasSynced()).toBe(true);
  });

  test('that was stopped brings nothing up any more', () => {
    const { cache, woken, stop } = setup([recorded('anna'), recorded('bert')]);
    stop();
    cache.remove(recorded('anna'));
    expect(woken).toEqual([]);
  });
});
