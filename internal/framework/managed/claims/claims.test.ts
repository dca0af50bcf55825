import { describe, expect, test } from '@jest/globals';
import { type Claimant, createClaims, precedes } from './claims.ts';

const older: Claimant = { uid: 'b', createdAt: '2024-01-01T00:00:00Z' };
const younger: Claimant = { uid: 'a', createdAt: '2024-01-02T00:00:00Z' };
const x = new Set(['x']);
const nothing = new Set<string>();

describe('a watch of a subject', () => {
  function watched() {
    const claims = createClaims();
    const reports: string[] = [];
    const watch = (name: string) => claims.watch('x', () => reports.push(name));
    return { claims, reports, watch };
  }

  test('reports each change of the holder, and nothing else', () => {
    const { claims, reports, watch } = watched();
    watch('first');
    claims.claim(younger, x);
    expect(reports.splice(0)).toEqual(['first']);
    claims.claim(older, x);
    expect(reports.splice(0)).toEqual(['first']);
    claims.claim(younger, new Set(['x', 'y']));
    claims.claim(younger, nothing);
    expect(reports).toEqual([]);
  });

  test('reports nothing after its end; the others of the subject go on', () => {
    const { claims, reports, watch } = watched();
    const end = watch('first');
    watch('second');
    end();
    claims.claim(older, x);
    expect(reports).toEqual(['second']);
  });

  test('that is ended twice does not end a later one', () => {
    const { claims, reports, watch } = watched();
    const end = watch('first');
    end();
    watch('second');
    end();
    claims.claim(older, x);
    expect(reports).toEqual(['second']);
  });
});

test('a claimant that exchanges one of its claims gives up every claim later', () => {
  const claims = createClaims();
  claims.claim(older, new Set(['x', 'y']));
  claims.claim(older, new Set(['x', 'z']));
  expect(claims.holder('y')).toBeUndefined();
  claims.claim(older, nothing);
  expect(claims.holder('x')).toBeUndefined();
  expect(claims.holder('z')).toBeUndefined();
});

test.each([
  { title: 'an older one precedes', a: older, b: younger, first: true },
  { title: 'a younger one does not', a: younger, b: older, first: false },
  { title: 'of equal age, the smaller uid precedes', a: { ...older, uid: 'a' }, b: older, first: true },
  { title: 'of equal age, the greater uid does not', a: older, b: { ...older, uid: 'a' }, first: false },
  { title: 'none precedes itself', a: older, b: older, first: false },
])('the order of claimants: $title', ({ a, b, first }) => {
  expect(precedes(a, b)).toBe(first);
});
