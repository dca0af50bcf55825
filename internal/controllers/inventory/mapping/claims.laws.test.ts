import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Claimant, createClaims, type Subject } from './claims.ts';

const uids = ['a', 'b', 'c', 'd'] as const;
/** Two of them are equally old. */
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

/** What the rule says, written as it is told: sort, and take the first. */
function holderByRule(claims: ReadonlyMap<string, readonly Subject[]>, subject: Subject): string | undefined {
  const contenders = [...claims].filter(([, wants]) => wants.includes(subject)).map(([uid]) => uid);
  return contenders.sort((a, b) => `${createdAt[a]} ${a}`.localeCompare(`${createdAt[b]} ${b}`))[0];
}

const holders = (claims: ReadonlyMap<string, readonly Subject[]>) =>
  Object.fromEntries(subjects.map((subject) => [subject, holderByRule(claims, subject)]));

describe('claims', () => {
  test('the oldest has what it claims, whatever was claimed and given up before and in which order', () => {
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

  test('everybody else whose rival is another one now is told, at once and once, and nobody else', () => {
    fc.assert(
      fc.property(fc.array(step), (steps: Step[]) => {
        const claims = createClaims();
        const model = new Map<string, readonly Subject[]>();
        const told: string[] = [];
        claims.subscribe(({ uid }) => told.push(uid));
        for (const { uid, wants } of steps) {
          const before = holders(model);
          model.set(uid, wants);
          const changed = subjects.filter((subject) => holders(model)[subject] !== before[subject]);
          claims.claim(claimant(uid), new Set(wants));
          const concerned = [...model].filter(
            ([other, claimed]) => other !== uid && claimed.some((subject) => changed.includes(subject)),
          );
          expect(told.splice(0).sort()).toEqual(concerned.map(([other]) => other).sort());
        }
      }),
    );
  });

  test('who does not listen any more is told nothing', () => {
    const claims = createClaims();
    const told: string[] = [];
    const stop = claims.subscribe(({ uid }) => told.push(uid));
    claims.claim(claimant('b'), new Set(['x']));
    claims.claim(claimant('d'), new Set(['x']));
    stop();
    claims.claim(claimant('b'), new Set());
    expect(claims.holder('x')?.uid).toBe('d');
    expect(told).toEqual([]);
  });
});
