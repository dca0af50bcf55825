import { describe, expect, test } from '@jest/globals';
import { annotationExternalName } from '../../../../framework/managed/index.ts';
import {
  mappingOf,
  shownAnswer,
  type TestMapping,
  testAccess,
  testKind,
  testNames,
} from '../mapping.fixture.ts';
import type { MappingIdentity } from '../mapping-identity.ts';
import type { MappingKind } from '../mapping-kind.ts';
import { annotationSeenBy } from '../visibility-records.ts';
import {
  type ClaimRecord,
  claimRecordOf,
  confirmationOf,
  contends,
  defaultSubject,
  isRepeated,
  mappingSubject,
  storedConfirmation,
  subjectsOf,
  withAnswer,
} from './claim-record.ts';
import { api, creatingKind, type Given, onRecord, resource, stored, x, y } from './mapping-claims.fixture.ts';

const z = mappingOf('i-3');
const other = { api, viewer: 'other' };
const confirmed = ({ serviceInstanceID }: MappingIdentity) => ({ serviceInstanceID, ...testAccess });
const claimant = {
  uid: 'uid-anna',
  createdAt: '2024-01-01T00:00:00Z',
  name: 'Mapping anna',
  enqueue: () => undefined,
};

const seen = (seenBy: string): Given => ({ annotations: { [annotationSeenBy]: seenBy } });
const recordOf = (given?: Given, before?: ClaimRecord, kind: MappingKind<TestMapping> = testKind) =>
  claimRecordOf(kind, resource('anna', given), claimant, before);

describe('the record of a claim', () => {
  test('keeps the answer and its confirmations when the resource changes', () => {
    const answered = withAnswer(recordOf(), shownAnswer(x), 0);
    const changed = recordOf({ spec: { isDefault: true } }, answered);
    expect(changed).toMatchObject({ answer: shownAnswer(x), confirmations: [confirmed(x)] });
    expect(subjectsOf(changed)).toEqual(new Set([mappingSubject(api, x), defaultSubject(api, x)]));
  });

  test('has no confirmation before the first answer', () => {
    expect(recordOf(onRecord(x)).confirmations).toEqual([]);
    expect(subjectsOf(recordOf(onRecord(x)))).toEqual(new Set());
  });

  test.each([
    { title: 'client and API', seenBy: 'i-1/viewer.api', confirmation: confirmed(x) },
    { title: 'no API, of release 0.1.0', seenBy: 'i-1/viewer', confirmation: undefined },
    { title: 'no instance', seenBy: 'viewer.api', confirmation: undefined },
  ])('has a stored confirmation only with all of its parts: $title', ({ seenBy, confirmation }) => {
    expect(storedConfirmation(resource('anna', seen(seenBy)))).toEqual(confirmation);
    expect(confirmationOf(recordOf({ ...onRecord(x), ...seen(seenBy) }), 'i-1')).toEqual(confirmation);
  });
});

describe('an answer', () => {
  const answer = shownAnswer(x);
  test.each([
    { title: 'outcome', next: shownAnswer(x, { outcome: 'unknown' }) },
    { title: 'presence', next: shownAnswer(x, { isPresent: false }) },
    { title: 'client', next: shownAnswer(x, { access: other }) },
    { title: 'API', next: shownAnswer(x, { access: { ...testAccess, api: 'evil' } }) },
    { title: 'instance', next: shownAnswer(y) },
    { title: 'environment', next: shownAnswer({ ...x, primaryID: 'c-2' }) },
  ])('is repeated only by one that is equal in every field: not with another $title', ({ next }) => {
    const record = withAnswer(recordOf(), answer, 0);
    expect(isRepeated(record, shownAnswer(x))).toBe(true);
    expect(isRepeated(record, next)).toBe(false);
  });

  test('that is the first one is no repetition', () => {
    expect(isRepeated(recordOf(), answer)).toBe(false);
  });

  test('about a third instance keeps the confirmations of all recorded ones', () => {
    const both = { ...onRecord(x), annotations: { [annotationExternalName]: testNames.format(y) } };
    const answers = [shownAnswer(x), shownAnswer(y), shownAnswer(z)];
    const record = answers.reduce(withAnswer, recordOf(both, undefined, creatingKind));
    expect(record.confirmations).toEqual([x, y, z].map(confirmed));
  });

  test('about another instance removes the confirmation of one that is not recorded', () => {
    const record = [shownAnswer(x), shownAnswer(z)].reduce(withAnswer, recordOf(onRecord(y)));
    expect(record.confirmations).toEqual([confirmed(z)]);
  });
});

describe('the confirmation of an instance', () => {
  test('is that of the instance itself', () => {
    const record = withAnswer(recordOf(onRecord(x)), shownAnswer(x), 0);
    expect(confirmationOf(record, 'i-1')).toEqual(confirmed(x));
    expect(confirmationOf(record, 'i-2')).toBeUndefined();
  });

  const refused = { outcome: 'refused', isPresent: false } as const;
  const unknown = { outcome: 'unknown', isPresent: false } as const;
  test.each([
    { title: 'a refusal for the instance', answer: shownAnswer(x, refused), stays: false },
    { title: 'a refusal for another instance', answer: shownAnswer(y, refused), stays: true },
    { title: 'a 404 for the instance', answer: shownAnswer(x, unknown), stays: true },
    {
      title: 'a 404 to another client',
      answer: shownAnswer(x, { ...unknown, access: other }),
      stays: false,
    },
  ])('that an earlier process stored stays after $title: $stays', ({ answer, stays }) => {
    const record = withAnswer(recordOf({ ...onRecord(x), ...seen('i-1/viewer.api') }), answer, 0);
    expect(confirmationOf(record, 'i-1')).toEqual(stays ? confirmed(x) : undefined);
  });
});

describe('the claims of a resource', () => {
  const spec = { isDefault: true };
  test('do not include the default while its mapping was not observed', () => {
    const mapping = mappingSubject(api, x);
    const absent = { status: { known: x, present: false } };
    expect(subjectsOf(recordOf({ ...stored(x), spec, ...absent }))).toEqual(new Set([mapping]));
    const both = new Set([mapping, defaultSubject(api, x)]);
    expect(subjectsOf(recordOf({ ...stored(x), spec }))).toEqual(both);
  });

  const { secondaryID: _, ...whole } = x;
  test.each([
    { title: 'API', subject: mappingSubject('api-2', x) },
    { title: 'instance', subject: mappingSubject(api, y) },
    { title: 'platform', subject: mappingSubject(api, { ...x, platform: 'cloudfoundry' }) },
    { title: 'cluster', subject: mappingSubject(api, { ...x, primaryID: 'c-2' }) },
    { title: 'namespace', subject: mappingSubject(api, { ...x, secondaryID: 'other' }) },
    { title: 'namespace, since it is for the whole cluster', subject: mappingSubject(api, whole) },
    { title: 'purpose, the default', subject: defaultSubject(api, x) },
  ])('differ from those with another $title', ({ subject }) => {
    expect(subject).not.toBe(mappingSubject(api, x));
  });

  test.each([
    { policies: undefined, contending: true },
    { policies: ['*'], contending: true },
    { policies: ['Observe', 'Create'], contending: true },
    { policies: ['Observe', 'Update'], contending: true },
    { policies: ['Observe', 'Delete'], contending: true },
    { policies: [], contending: true },
    { policies: ['Observe'], contending: false },
    { policies: ['Observe', 'LateInitialize'], contending: false },
  ] as const)('count if one write is allowed, or the resource is paused: $policies', (given) => {
    const { policies, contending } = given;
    const of = resource(
      'anna',
      policies === undefined ? {} : { spec: { managementPolicies: [...policies] } },
    );
    expect(contends(of)).toBe(contending);
  });
});
