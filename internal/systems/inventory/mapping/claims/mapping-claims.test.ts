import { describe, expect, test } from '@jest/globals';
import { createFakeCache } from '../../../../framework/kube/fakes/fake-cache.ts';
import { annotationExternalName } from '../../../../framework/managed/index.ts';
import { shownAnswer, type TestMapping, testKind, testNames } from '../mapping.fixture.ts';
import { annotationSeenBy } from '../visibility-records.ts';
import {
  api,
  creatingKind,
  isAnothers,
  recorded,
  resource,
  setup,
  stored,
  targetsOf,
  thrownBy,
  x,
  y,
} from './mapping-claims.fixture.ts';

describe('the holder of a mapping', () => {
  test('is the oldest resource with a recorded claim, right after a start, of any kind', () => {
    const { index, claims } = setup([recorded('bert'), recorded('carl')]);
    const other = index.of(testKind);
    other.source(createFakeCache([recorded('anna')]), 'others.example.org').start(() => undefined);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(true);
    expect(() => claims.assertOwn(recorded('bert'), x, api)).toThrow(
      '"i-1/c-1/shop" is owned by Mapping anna',
    );
    expect(() => other.assertOwn(recorded('anna'), x, api)).not.toThrow();
  });

  test('may be a resource whose claim was confirmed in this process; resources that lose are requeued', () => {
    const { claims, requeued } = setup([resource('anna'), recorded('bert')]);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
    claims.state(resource('anna'), shownAnswer(x));
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(true);
    expect(requeued).toEqual(['bert']);
  });

  test('changes when the holder is deleted, and the next one is requeued', () => {
    const { cache, claims, requeued } = setup([recorded('anna'), recorded('bert')]);
    cache.remove(recorded('anna'));
    expect(requeued).toEqual(['bert']);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
  });

  test('changes when the holder has no record of the old mapping any more', () => {
    const { cache, claims, requeued } = setup([recorded('anna'), recorded('bert')]);
    claims.state(recorded('anna'), shownAnswer(y));
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(true);
    cache.put(resource('anna', stored(y)));
    expect(requeued).toEqual(['bert']);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
  });

  test('is not a resource that was replaced by another of the same name', () => {
    const { cache, claims } = setup([recorded('anna'), recorded('bert')]);
    const { metadata, ...rest } = recorded('anna');
    const again = { ...metadata, uid: 'new', creationTimestamp: '2024-02-01T00:00:00Z' };
    cache.put({ ...rest, metadata: again });
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
  });

  test('is not a deleted resource whose reconcile is still in progress', () => {
    const { cache, claims } = setup([recorded('anna'), recorded('bert')]);
    cache.remove(recorded('anna'));
    claims.state(recorded('anna'), shownAnswer(x));
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
  });

  test('may be a resource with an unrecorded create, if it has a visibility record', () => {
    const name = { [annotationExternalName]: testNames.format(x) };
    const withRecord = resource('anna', { annotations: { ...name, ...stored(x).annotations } });
    expect(
      isAnothers(setup([withRecord, recorded('bert')], creatingKind).claims, recorded('bert'), x, api),
    ).toBe(true);
    const withoutRecord = resource('anna', { annotations: name });
    expect(
      isAnothers(setup([withoutRecord, recorded('bert')], creatingKind).claims, recorded('bert'), x, api),
    ).toBe(false);
  });

  test('is not a resource with only the external name, so a wrong import does not block the owner', () => {
    const annotations = { ...stored(x).annotations, [annotationExternalName]: testNames.format(x) };
    const { claims } = setup([resource('anna', { annotations }), recorded('bert')]);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
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
      title: 'a resource that only observes',
      anna: recorded('anna', { spec: { managementPolicies: ['Observe'] } }),
    },
    { title: 'the child that the Go provider created for a KymaInstanceMapping', anna: child },
  ])('is never $title, which has no rivals either', ({ anna }) => {
    const { claims } = setup([anna, recorded('bert')]);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
    expect(isAnothers(claims, anna, x, api)).toBe(false);
  });

  test('may be a paused resource', () => {
    const paused = recorded('anna', { spec: { managementPolicies: [] } });
    const { claims } = setup([paused, recorded('bert')]);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(true);
  });

  test('is known before the credentials are read, by the visibility record', () => {
    const { claims } = setup([recorded('anna'), recorded('bert'), resource('carl')]);
    expect(claims.isTakenOver(recorded('bert'), x)).toBe(true);
    expect(claims.isTakenOver(resource('carl'), x)).toBe(false);
  });

  test('is known by what HANA Cloud showed to the resource itself, without a visibility record', () => {
    const { claims } = setup([recorded('anna'), resource('bert')]);
    expect(claims.isTakenOver(resource('bert'), x)).toBe(false);
    claims.state(resource('bert'), shownAnswer(x));
    expect(claims.isTakenOver(resource('bert'), x)).toBe(true);
  });

  test.each([
    { title: 'a namespaced resource', loser: recorded('bert', { namespace: 'tenant' }) },
    { title: 'a resource that is not listed any more', loser: recorded('carl') },
  ])('is known by the visibility record of $title, only for its instance', ({ loser }) => {
    const { claims } = setup([recorded('anna'), recorded('bert', { namespace: 'tenant' })]);
    expect(claims.isTakenOver(loser, x)).toBe(true);
    claims.state(recorded('anna'), shownAnswer(y));
    expect(isAnothers(claims, loser, y, api)).toBe(true);
    expect(claims.isTakenOver(loser, y)).toBe(false);
  });

  test('of two equally old resources is the one with the smaller uid', () => {
    const bert = recorded('bert');
    const twin = { ...bert, metadata: { ...bert.metadata, creationTimestamp: '2024-01-01T00:00:00Z' } };
    const { claims } = setup([recorded('anna'), twin]);
    expect(() => claims.assertOwn(twin, x, api, 'older')).toThrow('is owned by Mapping anna');
    expect(() => claims.assertOwn(recorded('anna'), x, api, 'older')).not.toThrow();
  });

  test('requeues a resource that lost to it, even without a confirmed claim', () => {
    const { cache, claims } = setup([recorded('anna'), resource('bert')]);
    const error = thrownBy(() => claims.assertOwn(resource('bert'), x, api));
    const requeued: string[] = [];
    for (const target of targetsOf(error)) target.watch(() => requeued.push('bert'));
    cache.remove(recorded('anna'));
    expect(requeued).toEqual(['bert']);
  });
});

describe('an unconfirmed claim', () => {
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
      title: 'a record on a namespaced resource',
      anna: resource('anna', { namespace: 'tenant', ...stored(x) }),
    },
  ])('does not count: $title', ({ anna }) => {
    const { claims } = setup([anna, recorded('bert')]);
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
    expect(() => claims.assertOwn(recorded('bert'), x, api)).not.toThrow();
    expect(isAnothers(claims, anna, x, api)).toBe(true);
  });

  test.each(['unknown', 'refused'] as const)('is not confirmed by the answer %s', (outcome) => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    claims.state(resource('anna'), shownAnswer(x, { outcome, isPresent: false }));
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
  });

  test('is not confirmed by another API', () => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    claims.state(resource('anna'), shownAnswer(x, { access: { api: 'evil', viewer: 'viewer' } }));
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(false);
  });

  test('yields to a younger confirmed one, and can still be confirmed', () => {
    const { claims } = setup([resource('anna'), recorded('bert')]);
    expect(() => claims.assertOwn(resource('anna'), x, api, 'older')).not.toThrow();
    expect(() => claims.assertOwn(resource('anna'), x, api)).toThrow('is owned by Mapping bert');
    claims.state(resource('anna'), shownAnswer(x));
    expect(() => claims.assertOwn(resource('anna'), x, api)).not.toThrow();
  });
});

describe('a confirmed claim', () => {
  const anna = resource('anna', { namespace: 'tenant', status: { known: x, present: true } });
  const bert = recorded('bert');
  function confirmed(owner: TestMapping = anna) {
    const given = setup([owner, bert]);
    given.claims.state(owner, shownAnswer(x));
    expect(isAnothers(given.claims, bert, x, api)).toBe(true);
    return given;
  }

  test('stays after a 404 to the same client, since an instance without mappings returns it', () => {
    const { claims } = confirmed();
    claims.state(anna, shownAnswer(x, { outcome: 'unknown', isPresent: false }));
    expect(isAnothers(claims, bert, x, api)).toBe(true);
  });

  test.each([
    { title: 'a refusal', answer: shownAnswer(x, { outcome: 'refused', isPresent: false }) },
    {
      title: 'other credentials that cannot see the instance',
      answer: shownAnswer(x, { access: { api, viewer: 'other' }, outcome: 'unknown', isPresent: false }),
    },
    {
      title: 'credentials for another API',
      answer: shownAnswer(x, { access: { api: 'api-2', viewer: 'viewer' } }),
    },
  ])('ends with $title, and the loser is requeued', ({ answer }) => {
    for (const owner of [anna, recorded('anna')]) {
      const { claims, requeued } = confirmed(owner);
      requeued.length = 0;
      claims.state(owner, answer);
      expect(isAnothers(claims, bert, x, api)).toBe(false);
      expect(requeued).toEqual(['bert']);
    }
  });

  test('to the recorded instance stays while another instance is described and refused', () => {
    const { claims } = confirmed();
    claims.state(anna, shownAnswer(y, { outcome: 'refused', isPresent: false }));
    expect(isAnothers(claims, bert, x, api)).toBe(true);
  });

  test('counts across scopes and namespaces: the older one holds the mapping', () => {
    const { claims } = confirmed();
    expect(() => claims.assertOwn(bert, x, api)).toThrow('"i-1/c-1/shop" is owned by Mapping tenant/anna');
  });
});

describe('the holder of the default of an environment', () => {
  const spec = { isDefault: true };
  test('is the oldest resource whose mapping exists, of any instance', () => {
    const anna = resource('anna', { spec, ...stored(y) });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).toThrow(
      'the default mapping of "c-1" is owned by Mapping anna',
    );
    expect(() => claims.assertOwn(recorded('bert', { spec }), x, api)).not.toThrow();
    expect(() => claims.assertDefault(anna, y, api)).not.toThrow();
  });

  test('is not a resource whose mapping does not exist, although HANA Cloud shows the instance', () => {
    const anna = resource('anna', { spec });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    claims.state(anna, shownAnswer(y, { isPresent: false }));
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
    claims.state(anna, shownAnswer(y));
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).toThrow(
      'is owned by Mapping anna',
    );
  });

  test('does not block an older resource that is about to create its mapping', () => {
    const anna = resource('anna', { spec });
    const { claims } = setup([anna, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(anna, y, api)).not.toThrow();
  });

  test('changes when the holder does not want the default any more, and the next one is requeued', () => {
    const { cache, claims, requeued } = setup([recorded('anna', { spec }), recorded('bert', { spec })]);
    requeued.splice(0);
    cache.put(recorded('anna'));
    expect(requeued).toEqual(['bert']);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
  });

  test('is separate for each environment and API', () => {
    const far = resource('anna', { spec, ...stored({ ...y, primaryID: 'c-2' }) });
    const { claims } = setup([far, recorded('bert', { spec })]);
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
    claims.state(far, shownAnswer(y, { access: { api: 'evil', viewer: 'viewer' } }));
    expect(() => claims.assertDefault(recorded('bert', { spec }), x, api)).not.toThrow();
  });
});
