import { expect, test } from '@jest/globals';
import { credentialTexts } from './credentials.ts';

test('texts to mask: every string and every long number, at any depth', () => {
  const credentials = '{"a":"pass\\u0041","b":{"c":["d",443,1234567,true,null]},"e":12345678901234567890}';
  expect(credentialTexts(credentials)).toEqual(['passA', 'd', '1234567', '12345678901234567890']);
});

test('credentials that are no JSON object are masked as a whole', () => {
  expect(credentialTexts('"secret"')).toEqual(['"secret"']);
  expect(credentialTexts('no JSON')).toEqual(['no JSON']);
});
