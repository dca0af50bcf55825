import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compoundKey } from './compound-key.ts';

test('keys are the same for the same texts alone', () => {
  const text = fc.oneof(fc.stringMatching(/^[ab/ ,"\\[\]-]{0,6}$/), fc.string({ unit: 'binary' }));
  const texts = fc.array(text, { maxLength: 4 });
  fc.assert(
    fc.property(texts, texts, (one, other) => {
      const isSame = one.length === other.length && one.every((each, n) => each === other[n]);
      expect(compoundKey(...one) === compoundKey(...other)).toBe(isSame);
    }),
    { numRuns: 5000 },
  );
});

test.each<[one: readonly string[], other: readonly string[]]>([
  [
    ['1', 'c', 'account account y'],
    ['1 c', 'account', 'account y'],
  ],
  [
    ['team-a', 'b/c'],
    ['team-a/b', 'c'],
  ],
  [['', 'a'], ['a']],
])('%j and %j are not taken for each other', (one, other) => {
  expect(compoundKey(...one)).not.toBe(compoundKey(...other));
});
