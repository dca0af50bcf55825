import { describe, expect, test } from '@jest/globals';
import { kindOf } from '../../../../base/errors/errors.ts';
import { createFakeClock } from '../../../../base/time/fake-clock.ts';
import type { CacheProblem } from '../../../../kube/cache/cache.ts';
import { createFakeCache } from '../../../../kube/fakes/fake-cache.ts';
import { annotationExternalName } from '../../../../runtime/index.ts';
import { annotationSeenBy } from '../access/visibility-records.ts';
import type { MappingIdentity } from '../identity/mapping-identity.ts';
import { mappingOf, shown, type TestMapping, testAccess, testKind, testNames } from '../mapping.fixture.ts';
import type { MappingKind } from '../mapping-kind.ts';
import { createMappingClaims } from './mapping-claims.ts';

const x = mappingOf('i-1');
const y = mappingOf('i-2');
const { api } = testAccess;
/** Days of January by name: who comes first in the alphabet is older. */
const dayOf = { anna: '01', bert: '02', carl: '03' } as const;
type Name = keyof typeof dayOf;

interface Given extends Partial<Omit<TestMapping, 'metadata'>> {
  readonly namespace?: string;
  readonly annotations?: Record<string, string>;
}

function resource(name: Name, { namespace, annotations, ...over }: Given = {}): TestMapping {
  const scope = namespace === undefined ? {} : { namespace };
  return {
    apiVersion: 'example.org/v1',
    kind: 'Mapping',
    metadata: {
      name,
      ...scope,
      uid: `uid-${name}`,
      creationTimestamp: `2024-01-${dayOf[name]}T00:00:00Z`,
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: {},
    ...over,
  };
}
/** As an earlier process stored it: the mapping was there, and the instance was shown. */
const stored = (identity: MappingIdentity): Pick<Given, 'status' | 'annotations'> => ({
  status: { known: identity, present: true },
  annotations: { [annotationSeenBy]: `${identity.serviceInstanceID}/viewer.api` },
});
const recorded = (name: Name, over: Given = {}) => resource(name, { ...stored(x), ...over });

function setup(objects: readonly TestMapping[], kind: MappingKind<TestMapping> = testKind) {
  const clock = createFakeClock();
  const index = createMappingClaims({ clock });
  const cache = createFakeCache(objects);
  const claims = index.of(kind);
  const source = claims.source(cache, 'mappings.example.org');
  const woken: string[] = [];
  const stop = source.start((key) => woken.push(key));
  return { clock, index, cache, claims, source, woken, stop };
}

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('the holder of a mapping', () => {
  test('is the oldest that has it on record, right after a start, whatever its kind', () => {
    const { index, claims } = setup([recorded('bert'), recorded('carl')]);
    const other = index.of(testKind);
    other.source(createFakeCache([recorded('anna')]), 'others.example.org').start(() => undefined);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(true);
    expect(() => claims.assertOwn(recorded('bert'), x, api)).toThrow(
      '"i-1/c-1/shop" is that of Mapping anna',
    );
    expect(() => other.assertOwn(recorded('anna'), x, api)).not.toThrow();
  });

  test('may be one that has proven it in this process, and those who lose it by that are woken', () => {
    const { claims, woken } = setup([resource('anna'), recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
    claims.state(resource('anna'), shown(x));
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(true);
    expect(woken).toEqual(['bert']);
  });

  test('changes when the holder is gone, and the next one is woken', () => {
    const { cache, claims, woken } = setup([recorded('anna'), recorded('bert')]);
    cache.remove(recorded('anna'));
    expect(woken).toEqual(['bert']);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('changes when the holder moves on, once nothing of the old mapping is on record any more', () => {
    const { cache, claims, woken } = setup([recorded('anna'), recorded('bert')]);
    claims.state(recorded('anna'), shown(y));
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(true);
    cache.put(resource('anna', stored(y)));
    expect(woken).toEqual(['bert']);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('is not one that was replaced by another of its name', () => {
    const { cache, claims } = setup([recorded('anna'), recorded('bert')]);
    const { metadata, ...rest } = recorded('anna');
    const again = { ...metadata, uid: 'new', creationTimestamp: '2024-02-01T00:00:00Z' };
    cache.put({ ...rest, metadata: again });
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('is not one that is gone and whose reconcile has not noticed', () => {
    const { cache, claims } = setup([recorded('anna'), recorded('bert')]);
    cache.remove(recorded('anna'));
    claims.state(recorded('anna'), shown(x));
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('may be one whose create was begun and not recorded, if it saw the instance', () => {
    const begun: MappingKind<TestMapping> = {
      ...testKind,
      recordsOf: (of) => ({ ...testKind.recordsOf(of), createUnfinished: true }),
    };
    const name = { [annotationExternalName]: testNames.format(x) };
    const seen = resource('anna', { annotations: { ...name, ...stored(x).annotations } });
    expect(setup([seen, recorded('bert')], begun).claims.isAnothers(recorded('bert'), x, api)).toBe(true);
    const unseen = resource('anna', { annotations: name });
    expect(setup([unseen, recorded('bert')], begun).claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('is not one that merely names it, or an import gone wrong would stop its owner', () => {
    const annotations = { ...stored(x).annotations, [annotationExternalName]: testNames.format(x) };
    const { claims } = setup([resource('anna', { annotations }), recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  const parent = {
    apiVersion: 'inventory.hana.orchestrate.cloud.sap/v1alpha1',
    kind: 'KymaInstanceMapping',
    name: 'shop',
    uid: 'uid-shop',
  };
  const child = recorded('anna');
  child.metadata.ownerReferences = [parent];
  test.each([
    {
      title: 'one that only observes',
      anna: recorded('anna', { spec: { managementPolicies: ['Observe'] } }),
    },
    { title: 'the child that the Go provider made for a KymaInstanceMapping', anna: child },
  ])('is never $title; neither does it have rivals', ({ anna }) => {
    const { claims } = setup([anna, recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
    expect(claims.isAnothers(anna, x, api)).toBe(false);
  });

  test('may be one that is paused, since its pause will end', () => {
    const paused = recorded('anna', { spec: { managementPolicies: [] } });
    const { claims } = setup([paused, recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(true);
  });

  test('is known before the credentials can be read, by where the resource itself saw the instance', () => {
    const { claims } = setup([recorded('anna'), recorded('bert'), resource('carl')]);
    expect(claims.isAnothers(recorded('bert'), x)).toBe(true);
    expect(claims.isAnothers(resource('carl'), x)).toBe(false);
  });

  test('wakes a resource that lost to it, even if nothing proves that one’s own claim', () => {
    const { cache, claims } = setup([recorded('anna'), resource('bert')]);
    const error = thrownBy(() => claims.assertOwn(resource('bert'), x, api));
    const woken: string[] = [];
    const targets = error instanceof Error && 'targets' in error ? (error.targets as Target[]) : [];
    for (const target of targets) target.watch(() => woken.push('bert'));
    cache.remove(recorded('anna'));
    expect(woken).toEqual(['bert']);
  });
  type Target = { watch(onChange: () => void): () => void };
});

describe('a claim without proof', () => {
  const forged = { known: x, present: true };
  test.each([
    { title: 'a spec or a status', anna: resource('anna', { status: forged }) },
    {
      title: 'a record of another instance',
      anna: resource('anna', { status: forged, annotations: { [annotationSeenBy]: 'i-9/viewer.api' } }),
    },
    {
      title: 'a record of another API',
      anna: resource('anna', { status: forged, annotations: { [annotationSeenBy]: 'i-1/viewer.evil' } }),
    },
    {
      title: 'a record that an author of a namespace can write',
      anna: resource('anna', { namespace: 'tenant', ...stored(x) }),
    },
  ])('takes nothing from others: $title', ({ anna }) => {
    const { claims } = setup([anna, recorded('bert')]);
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
    expect(() => claims.assertOwn(recorded('bert'), x, api)).not.toThrow();
    expect(claims.isAnothers(anna, x, api)).toBe(true);
  });

  test.each(['unknown', 'refused'] as const)('is not made by an answer that is %s', (outcome) => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    claims.state(resource('anna'), shown(x, { outcome, isPresent: false }));
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('is what another API proves, whatever it shows', () => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    claims.state(resource('anna'), shown(x, { access: { api: 'evil', viewer: 'viewer' } }));
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(false);
  });

  test('yields to a younger one that is proven, but is not kept from proving it', () => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    expect(() => claims.assertOwn(resource('anna'), x, api, 'older')).not.toThrow();
    expect(() => claims.assertOwn(resource('anna'), x, api)).toThrow('is that of Mapping bert');
    claims.state(resource('anna'), shown(x));
    expect(() => claims.assertOwn(resource('anna'), x, api)).not.toThrow();
  });
});

describe('proof', () => {
  const anna = resource('anna', { namespace: 'tenant', status: { known: x, present: true } });
  const bert = recorded('bert');
  function proven(owner: TestMapping = anna) {
    const world = setup([owner, bert]);
    world.claims.state(owner, shown(x));
    expect(world.claims.isAnothers(bert, x, api)).toBe(true);
    return world;
  }

  test('outlasts a 404 to the same client, as an instance without mappings gives', () => {
    const { claims } = proven();
    claims.state(anna, shown(x, { outcome: 'unknown', isPresent: false }));
    expect(claims.isAnothers(bert, x, api)).toBe(true);
  });

  test.each([
    { title: 'a refusal', answer: shown(x, { outcome: 'refused', isPresent: false }) },
    {
      title: 'other credentials that the instance is hidden from',
      answer: shown(x, { access: { api, viewer: 'other' }, outcome: 'unknown', isPresent: false }),
    },
    {
      title: 'credentials for another API',
      answer: shown(x, { access: { api: 'api-2', viewer: 'viewer' } }),
    },
  ])('ends with $title, and the loser is woken', ({ answer }) => {
    for (const owner of [anna, recorded('anna')]) {
      const { claims, woken } = proven(owner);
      woken.length = 0;
      claims.state(owner, answer);
      expect(claims.isAnothers(bert, x, api)).toBe(false);
      expect(woken).toEqual(['bert']);
    }
  });

  test('of the recorded instance holds while another instance is described and refused', () => {
    const { claims } = proven();
    claims.state(anna, shown(y, { outcome: 'refused', isPresent: false }));
    expect(claims.isAnothers(bert, x, api)).toBe(true);
  });

  test('counts across scopes and namespaces: the older one holds the mapping', () => {
    const { claims } = proven();
    expect(() => claims.assertOwn(bert, x, api)).toThrow('"i-1/c-1/shop" is that of Mapping tenant/anna');
  });
});

describe('the holder of the default of a place', () => {
  const spec = { isDefault: true };
  test('is the oldest whose mapping is there, for whichever instance', () => {
    const anna = resource('anna', { spec, ...stored(y) });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).toThrow(
      'the default mapping of "c-1" is that of Mapping anna',
    );
    expect(() => claims.assertOwn(recorded('bert', { spec }), x, api)).not.toThrow();
    expect(() => claims.assertDefault(anna, y, api)).not.toThrow();
  });

  test('is not one whose mapping HANA Cloud does not make, though it shows the instance', () => {
    const anna = resource('anna', { spec });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    claims.state(anna, shown(y, { isPresent: false }));
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
    claims.state(anna, shown(y));
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).toThrow('is that of Mapping anna');
  });

  test('is not kept from an older one that is about to make its mapping', () => {
    const anna = resource('anna', { spec });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(anna, y, api)).not.toThrow();
  });

  test('changes when the holder asks for it no more, and the next one is woken', () => {
    const { cache, claims, woken } = setup([recorded('anna', { spec }), recorded('bert', { spec })]);
    woken.splice(0);
    cache.put(recorded('anna'));
    expect(woken).toEqual(['bert']);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
  });

  test('of one place is not that of another, nor of the same place at another API', () => {
    const far = resource('anna', { spec, ...stored({ ...y, primaryID: 'c-2' }) });
    const { claims } = setup([far, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
    claims.state(far, shown(y, { access: { api: 'evil', viewer: 'viewer' } }));
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
  });
});

describe('before all claims are known', () => {
  const doing = 'delete the mapping "i-1/c-1/shop"';
  function listing(problem?: CacheProblem) {
    const world = setup([recorded('bert')]);
    const others = createFakeCache<TestMapping>();
    others.setSynced(false);
    const cache = { ...others, problem: () => problem };
    world.index
      .of(testKind)
      .source(cache, 'others.example.org')
      .start(() => undefined);
    const decide = () => world.claims.assertDecided(recorded('bert'), x, api, doing);
    return { ...world, others, decide };
  }

  test('nothing is decided, however long a list takes, and whoever waits is woken when it is complete', async () => {
    const { clock, decide, others } = listing();
    await clock.advance(3_600_000);
    const error = thrownBy(decide);
    expect(kindOf(error)).toBe('waiting');
    expect(String(error)).toContain(`cannot ${doing}: the list of others.example.org is not complete`);
    let woken = 0;
    const targets = (error as { targets: { watch(fn: () => void): () => void }[] }).targets;
    for (const target of targets) target.watch(() => woken++);
    others.setSynced(true);
    await clock.advance(0);
    expect(woken).toBe(1);
    expect(decide).not.toThrow();
  });

  test('the message says why a kind cannot be listed', () => {
    const { decide } = listing({ text: 'cannot list others: forbidden', forMs: 1 });
    expect(decide).toThrow('is not complete (cannot list others: forbidden)');
  });

  test('a kind that is not installed is not waited for', () => {
    const { decide } = listing({ text: 'not served', forMs: 1, kindMissing: true });
    expect(decide).not.toThrow();
  });

  test('an older resource on record that has not proven its claim since the start is waited for', async () => {
    const anna = resource('anna', { namespace: 'tenant', status: { known: x, present: true } });
    const { claims, clock } = setup([anna, recorded('bert'), recorded('carl')]);
    const decide = () => claims.assertDecided(recorded('bert'), x, api, doing);
    expect(decide).toThrow('Mapping tenant/anna is older and on record with it');
    expect(() => claims.assertDecided(recorded('bert'), y, api, doing)).not.toThrow();
    await clock.advance(119_999);
    expect(decide).toThrow();
    await clock.advance(1);
    expect(decide).not.toThrow();
  });

  test.each(['shown', 'unknown', 'refused'] as const)('its answer %s decides it at once', (outcome) => {
    const anna = resource('anna', { namespace: 'tenant', status: { known: x, present: true } });
    const { claims } = setup([anna, recorded('bert')]);
    claims.state(anna, shown(x, { outcome, isPresent: false }));
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).not.toThrow();
    expect(claims.isAnothers(recorded('bert'), x, api)).toBe(outcome === 'shown');
  });

  test('a record that appears later delays nobody: its proof would be known', () => {
    const { cache, claims } = setup([resource('anna', { namespace: 'tenant' }), recorded('bert')]);
    claims.state(recorded('bert'), shown(x));
    cache.put(resource('anna', { namespace: 'tenant', status: { known: x, present: true } }));
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).not.toThrow();
  });

  test('the time of a replica that only follows its caches does not count', async () => {
    const anna = resource('anna', { namespace: 'tenant', status: { known: x, present: true } });
    const { claims, clock } = setup([anna, recorded('bert')]);
    await clock.advance(3_600_000);
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).toThrow('Mapping tenant/anna');
  });
});

describe('the source', () => {
  test('has synced when the resources of all kinds are known', async () => {
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

  test('waits for other kinds only for a moment: what must not be done without them waits by itself', async () => {
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

  test('whose kind is gone drops the claims of its resources, and rivals of other kinds are woken', () => {
    const { cache, claims, index, stop, woken } = setup([recorded('anna')]);
    const other = createFakeCache<TestMapping>([recorded('bert')]);
    const rivals: string[] = [];
    index
      .of(testKind)
      .source(other, 'others.example.org')
      .start((key) => rivals.push(key));
    rivals.length = 0;
    stop();
    cache.remove(recorded('anna'));
    expect({ woken, rivals }).toEqual({ woken: [], rivals: ['bert'] });
    // And it is not waited for any more.
    cache.setSynced(false);
    expect(() => claims.assertDecided(recorded('bert'), x, api, 'delete it')).not.toThrow();
  });

  test('that was never started is not waited for', () => {
    const { claims, index } = setup([recorded('bert')]);
    const other = createFakeCache<TestMapping>();
    other.setSynced(false);
    index.of(testKind).source(other, 'others.example.org');
    expect(() => claims.assertDecided(recorded('bert'), x, api, 'delete it')).not.toThrow();
  });

  test('that was stopped wakes nobody any more', () => {
    const { cache, woken, stop } = setup([recorded('anna'), recorded('bert')]);
    stop();
    cache.remove(recorded('anna'));
    expect(woken).toEqual([]);
  });
});
