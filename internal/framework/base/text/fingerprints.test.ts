import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fingerprintsOf, occurrencesOf } from './fingerprints.ts';

test('property: every occurrence of a text is found, and nothing else', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', 'ä'), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 4 }), fc.array(letters, { maxLength: 30 }), (texts, parts) => {
      const whole = parts.join('');
      const different = [...new Set(texts)];
      const expected = different.flatMap((text) =>
        [...whole].flatMap((_, at) => (whole.startsWith(text, at) ? [[at, at + text.length]] : [])),
      );
      const found = [
        ...occurrencesOf(whole, fingerprintsOf(different.map((text) => ({ text, whole: true })))),
      ];
      expect(found.map(String).sort()).toEqual(expected.map(String).sort());
    }),
  );
});

test('of the beginning of a longer text all that follows is meant', () => {
  const kept = fingerprintsOf([{ text: 'begin', whole: false }]);
  expect([...occurrencesOf('a begin and more', kept)]).toEqual([[2, 16]]);
});

test('the texts are not in what is kept', () => {
  const kept = fingerprintsOf([{ text: 's3cr3t-of-a-client', whole: true }]);
  expect(JSON.stringify([kept.bases, ...kept.byLength])).not.toContain('s3cr3t');
});
