import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anyCharacter } from './any-character.ts';

test('every text that is well-formed is made of such characters, and no other', () => {
  const texts = fc.string({ unit: anyCharacter });
  const isMade = (text: string) => texts.canShrinkWithoutContext(text);
  fc.assert(fc.property(texts, (text) => text.isWellFormed()));

  expect(['', '\0', 'é', '\ud7ff\ue000', '\u{10ffff}', '__proto__'].every(isMade)).toBe(true);
  expect(['\ud800', '\udfff', 'a\ud800'].some(isMade)).toBe(false);
});
