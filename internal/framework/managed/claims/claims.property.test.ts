import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Claimant, createClaims, type Subject } from './claims.ts';

const uids = ['a', 'b', 'c', 'd'] as const;
/** `b` and `c` are equally old. */
const createdAt: Readonly<Record<string, string>> = {
  a: '2024-01-02T00:00:00Z',
  b: '2024-01-01T00:00:00Z',
  c: '2024-01-01T00:00:00Z',
  d: '2024-01-03T00:00:00Z',
};
const claimant = (uid: string): Claimant => ({ uid, createdAt: createdAt[uid] ?? '' });
const subjects: readonly Subject[] = ['x', 'y', 'z'];

const step = fc.record({ uid: fc.constantFrom(...uids), wants: fc.subarray([...subjects]) });
type Step = { uid: string; wants: Subject[] };

/** The rule as a model: sort the claimants, take the first. */
function holderByRule(claims: ReadonlyMap<string, readonly Subject[]>, subject: Subject): string | undefined {
  const contenders = [...claims].filter(([, wants]) => wants.includes(subject)).map(([uid]) => uid);
  return contenders.sort((a, b) => `${createdAt[a]} ${a}`.localeCompare(`${createdAt[b]} ${b}`))[0];
}

const holders = (claims: ReadonlyMap<string, readonly Subject[]>) =>
  Object.fromEntries(subjects.map((subject) => [subject, holderByRule(claims, subject)]));

describe('claims', () => {
  test('the oldest claimant holds a subject, whatever the order of claims', () => {
    fc.assert(
      fc.property(fc.array(step), (steps: Step[]) => {
        const claims = createClaims();
        const model = new Map<string, readonly Subject[]>();
        for (const { uid, wants } of steps) {
          claims.claim(claimant(uid), new Set(wants));
          model.set(uid, wants);
        }
        const held = Object.fromEntries(subjects.map((subject) => [subject, claims.holder(subject)?.uid]));
        expect(held).toEqual(holders(model));
      }),
    );
  });

  test('when a holder changes, exactly the other claimants of the subject are notified, once', () => {
    fc.assert(
      fc.property(fc.array(step), (steps: Step[]) => {
        const claims = createClaims();
        const model = new Map<string, readonly Subject[]>();
        const notified: string[] = [];
        claims.subscribe(({ uid }) => notified.push(uid));
        for (const { uid, wants } of steps) {
          const before = holders(model);
          model.set(uid, wants);
          const changed = subjects.filter((subject) => holders(model)[subject] !== before[subject]);
          claims.claim(claimant(uid), new Set(wants));
          const concerned = [...model].filter(
            ([other, claimed]) => other !== uid && claimed.some((subject) => changed.includes(subject)),
          );
          expect(notified.splice(0).sort()).toEqual(concerned.map(([other]) => other).sort());
        }
      }),
    );
  });

  test('a listener that unsubscribed is not called', () => {
    const claims = createClaims();
    const notified: string[] = [];
    const stop = claims.subscribe(({ uid }) => notified.push(uid));
    claims.claim(claimant('b'), new Set(['x']));
    claims.claim(claimant('d'), new Set(['x']));
    stop();
    claims.claim(claimant('b'), new Set());
    expect(claims.holder('x')?.uid).toBe('d');
    expect(notified).toEqual([]);
  });
});
