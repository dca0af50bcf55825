import { expect, test } from '@jest/globals';
import {
  assertPermitted,
  type Existence,
  isPermitted,
  isProvedAbsent,
  type OwnedAction,
  type Owner,
  type Ownership,
  type OwnershipRule,
  ownerRecord,
  ownershipOf,
  placedRecord,
  readOwnerRecord,
  readPlacedRecord,
  UnprovenAbsenceError,
} from './ownership.ts';

const own: Owner = { kind: 'Runtime', namespace: 'kcp-system', name: 'two', uid: 'u-2' };
const other: Owner = { kind: 'Runtime', namespace: 'kcp-system', name: 'one', uid: 'u-1' };
const { uid: _, ...otherWithoutUid } = other;
const gone = () => true;
const lives = async () => false;

test.each<[string, Owner | undefined, typeof gone | typeof lives | undefined, Ownership['state']]>([
  ['no record', undefined, gone, 'unrecorded'],
  ['its uid', own, gone, 'own'],
  ['its uid under an old name', { ...own, name: 'old' }, gone, 'own'],
  ['its name without a uid', { kind: 'Runtime', namespace: 'kcp-system', name: 'two' }, gone, 'own'],
  ['its name with the uid of a predecessor that is gone', { ...own, uid: 'u-0' }, gone, 'abandoned'],
  ['another owner that exists', other, lives, 'other'],
  ['another owner that is gone', other, gone, 'abandoned'],
  ['another owner that cannot be looked for', other, undefined, 'other'],
  // Without a uid nothing tells it from one of the same name elsewhere.
  ['another owner without a uid', otherWithoutUid, gone, 'other'],
  ['the same name of another kind', { ...otherWithoutUid, name: 'two', kind: 'Shoot' }, gone, 'other'],
  ['the same name in another namespace', { ...otherWithoutUid, name: 'two', namespace: 'x' }, gone, 'other'],
])('a record of %s', async (_what, recorded, isGone, state) => {
  expect((await ownershipOf({ own, recorded, ...(isGone ? { isGone } : {}) })).state).toBe(state);
});

test('a record names the owner with its uid, and one of another form names no owner', () => {
  expect(readOwnerRecord('Runtime', ownerRecord(own))).toEqual(own);
  for (const text of ['', 'two', 'kcp-system/two', 'kcp-system/two/u-2/x', 'kcp-system//u-2'])
    expect(readOwnerRecord('Runtime', text)).toEqual({ kind: 'Runtime', name: text });
});

test('a record that names its place is none at another place, or in another form', () => {
  const place = 'shop/db';
  expect(readPlacedRecord('Runtime', placedRecord(own, place), place)).toEqual(own);
  for (const text of [placedRecord(own, 'shop/copy'), `${placedRecord(own, place)} x`, ownerRecord(own)])
    expect(readPlacedRecord('Runtime', text, place)).toEqual({ kind: 'Runtime', name: text });
});

test('nothing of another owner is touched; what has no owner, as the rule says', () => {
  const actions: readonly OwnedAction[] = ['adopt', 'update', 'delete'];
  const rule: OwnershipRule = { unrecorded: ['adopt', 'update'], abandoned: ['delete'] };
  const permitted = (ownership: Ownership) =>
    actions.filter((action) => isPermitted(ownership, action, rule)).join();
  expect(permitted({ state: 'own' })).toBe('adopt,update,delete');
  expect(permitted({ state: 'other', owner: other })).toBe('');
  expect(permitted({ state: 'unrecorded' })).toBe('adopt,update');
  expect(permitted({ state: 'abandoned', owner: other })).toBe('delete');
});

test.each<[Ownership, string]>([
  [{ state: 'other', owner: other }, 'it belongs to Runtime kcp-system/one, not to Runtime kcp-system/two'],
  [
    { state: 'abandoned', owner: other },
    'it belonged to Runtime kcp-system/one, which is deleted, not to Runtime kcp-system/two',
  ],
  [
    { state: 'unrecorded' },
    'it belongs to others, since no owner is recorded on it, not to Runtime kcp-system/two',
  ],
])('the message of %j names both owners and the way out', (ownership, cause) => {
  const rule: OwnershipRule = { unrecorded: [], abandoned: [] };
  const named = { resource: 'Shoot garden-kyma/one', own, remedy: 'choose another spec.shoot.name' };
  expect(() => assertPermitted(ownership, 'adopt', rule, named)).toThrow(
    `cannot adopt Shoot garden-kyma/one: ${cause}: choose another spec.shoot.name`,
  );
});

const unclear: Existence = { state: 'unclear', response: 'HTTP status 404 of a gateway' };

test.each<[string, Existence, Existence | undefined, boolean]>([
  ['its API says so', { state: 'absent' }, undefined, true],
  ['it is there', { state: 'present' }, undefined, false],
  ['a list agrees with a 404 of another form', unclear, { state: 'absent' }, true],
  ['a list disagrees', unclear, { state: 'present' }, false],
])('a resource is gone, or not: %s', async (_what, first, second, expected) => {
  const look = second && (async () => second);
  expect(await isProvedAbsent('the binding b', first, look)).toBe(expected);
});

test('without a clear answer nothing is gone', async () => {
  await expect(isProvedAbsent('the binding b', unclear)).rejects.toThrow(UnprovenAbsenceError);
  await expect(isProvedAbsent('the binding b', unclear, async () => unclear)).rejects.toMatchObject({
    kind: 'transient',
    message:
      'cannot tell whether the binding b is deleted: HTTP status 404 of a gateway; HTTP status 404 of a gateway',
  });
});
