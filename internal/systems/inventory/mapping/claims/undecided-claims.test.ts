import { describe, expect, test } from '@jest/globals';
import { kindOf, WaitingError } from '../../../../framework/base/errors/errors.ts';
import type { CacheProblem } from '../../../../framework/kube/cache/cache.ts';
import { createFakeCache } from '../../../../framework/kube/fakes/fake-cache.ts';
import { annotationExternalName } from '../../../../framework/managed/index.ts';
import { mappingOf, shownAnswer, type TestMapping, testKind, testNames } from '../mapping.fixture.ts';
import type { MappingIdentity } from '../mapping-identity.ts';
import { annotationSeenBy } from '../visibility-records.ts';
import {
  api,
  creatingKind,
  type Given,
  isAnothers,
  onRecord,
  recorded,
  resource,
  setup,
  targetsOf,
  thrownBy,
  x,
  y,
} from './mapping-claims.fixture.ts';

const doing = 'delete the mapping "i-1/c-1/shop"';

describe('before all claims are known', () => {
  function listing(problem?: CacheProblem) {
    const given = setup([recorded('bert')]);
    const others = createFakeCache<TestMapping>();
    others.setSynced(false);
    const cache = { ...others, problem: () => problem };
    given.index
      .of(testKind)
      .source(cache, 'others.example.org')
      .start(() => undefined);
    const decide = () => given.claims.assertDecided(recorded('bert'), x, api, doing);
    return { ...given, others, decide };
  }

  test('nothing is decided while a list is incomplete; waiting resources are requeued when it is complete', async () => {
    const { clock, decide, others } = listing();
    await clock.advance(3_600_000);
    const error = thrownBy(decide);
    expect(kindOf(error)).toBe('waiting');
    expect(String(error)).toContain(`cannot ${doing}: the list of others.example.org is not complete`);
    let requeued = 0;
    for (const target of targetsOf(error)) target.watch(() => requeued++);
    others.setSynced(true);
    await clock.advance(0);
    expect(requeued).toBe(1);
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

  test('an older resource with an unconfirmed claim is waited for', async () => {
    const anna = resource('anna', { namespace: 'tenant', ...onRecord(x) });
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
    const anna = resource('anna', { namespace: 'tenant', ...onRecord(x) });
    const { claims } = setup([anna, recorded('bert')]);
    claims.state(anna, shownAnswer(x, { outcome, isPresent: false }));
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).not.toThrow();
    expect(isAnothers(claims, recorded('bert'), x, api)).toBe(outcome === 'shown');
  });

  test('a record that appears later delays nothing, since its confirmation would be known', () => {
    const { cache, claims } = setup([resource('anna', { namespace: 'tenant' }), recorded('bert')]);
    claims.state(recorded('bert'), shownAnswer(x));
    cache.put(resource('anna', { namespace: 'tenant', ...onRecord(x) }));
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).not.toThrow();
  });

  test('a resource that is created later delays nothing, whatever its status says', () => {
    const { cache, claims } = setup([recorded('bert')]);
    claims.state(recorded('bert'), shownAnswer(x));
    cache.put(resource('anna', { namespace: 'tenant', ...onRecord(x) }));
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).not.toThrow();
  });

  test('a record in the first list of a kind that is served later is waited for', () => {
    const { claims, index } = setup([recorded('bert')]);
    claims.state(recorded('bert'), shownAnswer(x));
    const others = createFakeCache([resource('anna', { namespace: 'tenant', ...onRecord(x) })]);
    const source = index.of(testKind).source(others, 'others.example.org');
    source.start(() => undefined);
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).toThrow('Mapping tenant/anna');
  });

  test('the time of a standby replica does not count', async () => {
    const anna = resource('anna', { namespace: 'tenant', ...onRecord(x) });
    const { claims, clock } = setup([anna, recorded('bert')]);
    await clock.advance(3_600_000);
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).toThrow('Mapping tenant/anna');
  });

  test('a record that a standby replica sees is waited for, since the leader may have confirmed it', () => {
    const { cache, claims } = setup([resource('anna', { namespace: 'tenant' }), recorded('bert')]);
    cache.put(resource('anna', { namespace: 'tenant', ...onRecord(x) }));
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).toThrow('Mapping tenant/anna');
  });

  test('the time counts from the first answer of HANA Cloud to any resource', async () => {
    const anna = resource('anna', { namespace: 'tenant', ...onRecord(x) });
    const { claims, clock } = setup([anna, recorded('bert'), recorded('carl')]);
    claims.state(recorded('carl'), shownAnswer(y));
    await clock.advance(120_000);
    expect(() => claims.assertDecided(recorded('bert'), x, api, doing)).not.toThrow();
  });

  test('a resource that only observes is not made to wait', () => {
    const { claims, others } = listing();
    const observing = recorded('carl', { spec: { managementPolicies: ['Observe'] } });
    expect(() => claims.assertDecided(observing, x, api, doing)).not.toThrow();
    others.setSynced(true);
    expect(() => claims.assertDecided(observing, x, api, doing)).not.toThrow();
  });
});

describe('a resource that waits for an unconfirmed claim', () => {
  const anna = resource('anna', { namespace: 'tenant', ...onRecord(x) });
  function waiting() {
    const given = setup([anna, recorded('bert')]);
    const decide = () => given.claims.assertDecided(recorded('bert'), x, api, doing);
    const error = thrownBy(decide);
    const reports: string[] = [];
    const ends = targetsOf(error).map((target) => target.watch(() => reports.push('changed')));
    return { ...given, decide, error, reports, end: () => ends.map((end) => end()) };
  }

  test('is also retried with backoff, since no watch reports that the time is over', () => {
    const { error } = waiting();
    expect(error).toBeInstanceOf(WaitingError);
    expect(error).toMatchObject({ retry: true });
  });

  const ends: readonly { readonly title: string; readonly next?: TestMapping }[] = [
    { title: 'is deleted' },
    {
      title: 'may not write any more',
      next: resource('anna', {
        namespace: 'tenant',
        ...onRecord(x),
        spec: { managementPolicies: ['Observe'] },
      }),
    },
    { title: 'has no record any more', next: resource('anna', { namespace: 'tenant' }) },
  ];
  test.each(ends)('is requeued when the older resource $title', ({ next }) => {
    const { cache, decide, reports } = waiting();
    if (next === undefined) cache.remove(anna);
    else cache.put(next);
    expect(reports).toEqual(['changed']);
    expect(decide).not.toThrow();
  });

  test('is not called after its subscription ended', () => {
    const { cache, end, reports } = waiting();
    end();
    cache.remove(anna);
    expect(reports).toEqual([]);
  });
});

describe('an unconfirmed claim is waited for', () => {
  const twins = { namespace: 'tenant', ...onRecord(x) };
  test('by younger resources only, and not by its own resource', () => {
    const bert = resource('bert', twins);
    const { claims } = setup([resource('anna'), bert, resource('carl')]);
    const decide = (of: TestMapping) => () => claims.assertDecided(of, x, api, doing);
    expect(decide(resource('carl'))).toThrow('Mapping tenant/bert');
    expect(decide(bert)).not.toThrow();
    expect(decide(resource('anna'))).not.toThrow();
  });

  test.each([
    { title: 'both want', older: true, younger: true, waits: true },
    { title: 'only the older one wants', older: true, younger: false, waits: false },
    { title: 'only the younger one wants', older: false, younger: true, waits: false },
    { title: 'none wants', older: false, younger: false, waits: false },
  ])('for the default of an environment that $title: $waits', ({ older, younger, waits }) => {
    const anna = resource('anna', { namespace: 'tenant', ...onRecord(y), spec: { isDefault: older } });
    const bert = recorded('bert', { spec: { isDefault: younger } });
    const { claims } = setup([anna, bert]);
    const error = thrownBy(() => claims.assertDecided(bert, x, api, doing));
    expect(kindOfAny(error)).toBe(waits ? 'waiting' : 'none');
    const elsewhere = { ...x, primaryID: 'c-2' };
    expect(() => claims.assertDecided(bert, elsewhere, api, doing)).not.toThrow();
  });
  test('for the default, if the younger one wants it now; its cached version may be older', () => {
    const anna = resource('anna', { namespace: 'tenant', ...onRecord(y), spec: { isDefault: true } });
    const { claims } = setup([anna, recorded('bert'), recorded('carl', { spec: { isDefault: true } })]);
    const decide = (of: TestMapping) => () => claims.assertDecided(of, x, api, doing);
    expect(decide(recorded('bert', { spec: { isDefault: true } }))).toThrow('Mapping tenant/anna');
    expect(decide(recorded('carl', { spec: { isDefault: false } }))).not.toThrow();
  });
  const kindOfAny = (error: unknown) => (error === undefined ? 'none' : kindOf(error));

  /** Anna has a record of one mapping, and a create of another that may not have ended. */
  const creating = (known: MappingIdentity, created: MappingIdentity, seenBy?: string): Given => ({
    ...onRecord(known),
    annotations: {
      [annotationExternalName]: testNames.format(created),
      ...(seenBy === undefined ? {} : { [annotationSeenBy]: seenBy }),
    },
  });
  test.each([
    { title: 'the mapping is the known one', anna: creating(x, y), waits: true },
    { title: 'the mapping is the created one', anna: creating(y, x), waits: true },
    { title: 'HANA Cloud showed it at another API', anna: creating(x, y, 'i-1/viewer.other'), waits: false },
  ])('with two mappings on record, if one of them is it: $title', ({ anna, waits }) => {
    const { claims } = setup([resource('anna', anna), recorded('bert')], creatingKind);
    const error = thrownBy(() => claims.assertDecided(recorded('bert'), x, api, doing));
    expect(kindOfAny(error)).toBe(waits ? 'waiting' : 'none');
  });

  test('for the default, also if HANA Cloud showed its instance but perhaps not its mapping', () => {
    const spec = { isDefault: true };
    const third = { ...mappingOf('i-3'), primaryID: 'c-3' };
    const anna = resource('anna', {
      ...creating(y, third, 'i-2/viewer.api'),
      status: { known: y, present: false },
      spec,
    });
    const bert = recorded('bert', { spec });
    const { claims } = setup([anna, bert], creatingKind);
    expect(() => claims.assertDefault(bert, x, api)).not.toThrow();
    expect(() => claims.assertDecided(bert, x, api, doing)).toThrow('Mapping anna');
  });
});
