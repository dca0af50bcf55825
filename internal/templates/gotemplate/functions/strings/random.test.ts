import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createSecureRandom } from '../../../../framework/base/random.ts';
import { createFakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { parseTemplate } from '../../template.ts';
import { SPRIG_FUNCTIONS } from '../categories.ts';

const numbers = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });

function render(template: string, randomNumbers?: readonly number[]): string {
  let used = 0;
  const random = randomNumbers
    ? () => randomNumbers[used++ % randomNumbers.length] ?? 0
    : createSecureRandom();
  const clock = createFakeClock();
  return parseTemplate('t', template, { functions: SPRIG_FUNCTIONS }).execute(null, { clock, random });
}

describe('random strings', () => {
  test.each([
    ['randAlpha', /^[a-zA-Z]*$/],
    ['randAlphaNum', /^[a-zA-Z0-9]*$/],
    ['randNumeric', /^[0-9]*$/],
    ['randAscii', /^[ -~]*$/],
  ])('%s has as many characters as asked for, all of its alphabet', (name, alphabet) => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), numbers, (length, randomNumbers) => {
        const text = render(`{{ ${name} ${length} }}`, randomNumbers);
        expect(text).toHaveLength(length);
        expect(text).toMatch(alphabet);
      }),
    );
  });

  test('every character of the alphabet occurs', () => {
    expect(new Set(render('{{ randAlphaNum 20000 }}')).size).toBe(62);
    expect(new Set(render('{{ randAscii 20000 }}')).size).toBe(95);
  });

  test('two are not the same', () => {
    expect(render('{{ randAlphaNum 30 }}')).not.toBe(render('{{ randAlphaNum 30 }}'));
  });
});

test('randInt is at least the first number, and less than the second', () => {
  const range = fc.tuple(
    fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
    fc.bigInt({ min: 1n, max: 2n ** 62n }),
  );
  fc.assert(
    fc.property(range, numbers, ([min, count], randomNumbers) => {
      const value = BigInt(render(`{{ randInt ${min} ${min + count} }}`, randomNumbers));
      expect(value >= min && value < min + count).toBe(true);
    }),
  );
});

test('shuffle keeps the characters', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zé😀]{0,30}$/u), numbers, (text, randomNumbers) => {
      const shuffled = render(`{{ shuffle ${JSON.stringify(text)} }}`, randomNumbers);
      expect([...shuffled].sort()).toEqual([...text].sort());
    }),
  );
  expect(new Set(Array.from({ length: 200 }, () => render('{{ shuffle "abc" }}'))).size).toBe(6);
});

test('uuidv4 has the format of version 4', () => {
  fc.assert(
    fc.property(numbers, (randomNumbers) => {
      expect(render('{{ uuidv4 }}', randomNumbers)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }),
  );
  expect(render('{{ uuidv4 }}')).not.toBe(render('{{ uuidv4 }}'));
});
