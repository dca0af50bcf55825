import { expect, test } from '@jest/globals';
import { credentialTexts, parseCredentials } from './credentials.ts';

test('texts to mask: every string and every long number, at any depth', () => {
  const credentials = '{"a":"pass\\u0041","b":{"c":["d",443,1234567,true,null]},"e":12345678901234567890}';
  expect(credentialTexts(credentials)).toEqual([
    { name: 'a', value: 'passA' },
    { name: 'c', value: 'd' },
    { name: 'c', value: '1234567' },
    { name: 'e', value: '12345678901234567890' },
  ]);
});

test('credentials that are no JSON object are masked as a whole', () => {
  expect(credentialTexts('"secret"')).toEqual(['"secret"']);
  expect(credentialTexts('no JSON')).toEqual(['no JSON']);
});

test('white space in the credentials hides no text', () => {
  expect(credentialTexts(' \n { "a" : "secret" , "b" : 123456 , "c" : [ 1234567 ] } ')).toEqual([
    { name: 'a', value: 'secret' },
    { name: 'b', value: '123456' },
    { name: 'c', value: '1234567' },
  ]);
});

test('numbers of less than six digits are not masked: they occur by chance', () => {
  expect(credentialTexts('{"port":65535}')).toEqual([]);
});

test('null counts as no credentials', () => {
  expect(parseCredentials('null')).toEqual({ object: {} });
  expect(credentialTexts('  null  ')).toEqual([]);
});
