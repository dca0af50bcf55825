import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { occurrences } from './search.ts';

/** As V8 finds them. */
function expected(whole: string, search: string, step = search.length): number[] {
  const found: number[] = [];
  for (let at = whole.indexOf(search); at >= 0; at = whole.indexOf(search, at + step)) found.push(at);
  return found;
}

test('finds what V8 finds, also in texts that repeat', () => {
  const pieces = fc.array(fc.constantFrom('a', 'aa', 'b', 'ab', 'a'.repeat(40), 'ab'.repeat(40), 'ä'), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(pieces, fc.array(pieces, { maxLength: 6 }), fc.nat(3), (part, around, often) => {
      const search = `${part.join('')}x`.slice(0, -1) || 'a';
      const whole = around.map((each) => each.join('')).join(search.repeat(often));
      expect([...occurrences(whole, search)]).toEqual(expected(whole, search));
      const overlapping = occurrences(whole, search, { overlapping: true });
      expect([...overlapping]).toEqual(expected(whole, search, 1));
    }),
  );
});

test('takes linear time for texts for which V8 takes minutes', () => {
  const many = 'a'.repeat(500_000);
  expect([...occurrences(many + many + many, `${many}b${many}`)]).toEqual([]);
});
