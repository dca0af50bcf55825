import { describe, expect, test } from '@jest/globals';
import { type FieldPlace, idAt, nameAt } from './inputs.ts';

const place = {
  path: ['data', 'ID'],
  field: 'ID',
  label: 'key ID',
  absent: 'has no key ID',
} satisfies FieldPlace & { absent: string };
const objectWith = (data?: unknown) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x' },
  data,
});
const id = (value?: unknown) => idAt(objectWith({ ID: value }), place);
const name = (value?: unknown) => nameAt(objectWith({ ID: value }), place, 'fallback');
const problem = (kind: string, text: string) => ({
  problem: { kind, text, field: 'ID' },
});
const malformed = (why: string) => problem('malformed', `has a key ID ${why}`);

const tooLong = malformed('of more than 253 characters, so it is no ID and no name');

describe('an ID', () => {
  test.each([
    { title: 'a UUID', value: '5f2b7a0e-3c1d-4e8f-9a6b-7c8d9e0f1a2b' },
    { title: 'with slashes, as cluster IDs of other landscapes have', value: 'eu10/x' },
    { title: 'with letters of any script', value: 'größe-データ' },
    { title: 'with a character of two halves', value: 'c-😀' },
    { title: 'of the greatest length', value: 'i'.repeat(253) },
  ])('may be $title', ({ value }) => {
    expect(id(value)).toEqual({ value });
  });

  test('has no white space around it, such as the line end of echo', () => {
    expect(id(' c-1\r\n')).toEqual({ value: 'c-1' });
  });

  test.each([undefined, null])('that is %s is waited for', (value) => {
    expect(id(value)).toEqual(problem('incomplete', 'has no key ID'));
  });

  test('that only has white space is empty, and waited for', () => {
    expect(id('')).toEqual(problem('incomplete', 'has an empty key ID'));
    expect(id(' \n')).toEqual(problem('incomplete', 'has an empty key ID'));
  });

  test.each([
    { title: 'a space', value: 'a b' },
    { title: 'a line break, which starts another line in a log', value: 'a\nb' },
    { title: 'a carriage return', value: 'a\rb' },
    { title: 'NUL, which the API server does not store', value: 'a\u0000b' },
    { title: 'an escape sequence for terminals', value: 'a\u001b[2Jb' },
    { title: 'a mark that reverses the direction of text', value: 'a\u202eb' },
    { title: 'a space of zero width, which makes two IDs look the same', value: 'a\u200bb' },
    { title: 'half a character, which no URL can have', value: 'a\ud800b' },
  ])('with $title is refused, and not quoted', ({ value }) => {
    expect(id(value)).toEqual(malformed('that holds white space or invisible characters, so it is no ID'));
  });

  test('above 253 characters is refused', () => {
    expect(id('i'.repeat(254))).toEqual(tooLong);
  });

  test.each([
    { value: 7, found: 'a number' },
    { value: ['x'], found: 'an array' },
    { value: {}, found: 'an object' },
    { value: true, found: 'a boolean' },
  ])('that is $found is refused', ({ value, found }) => {
    expect(id(value)).toEqual(malformed(`that is not a string but ${found}`));
  });
});

describe('the name of a Secret', () => {
  test.each(['a', 'hana-admin', 'a.b', 'hana.admin-1', 'n'.repeat(253)])('may be %s', (value) => {
    expect(name(value)).toEqual({ value });
  });

  test.each([undefined, null, ''])('has a default if it is %j', (value) => {
    expect(name(value)).toEqual({ value: 'fallback' });
  });

  test.each([
    { title: 'a path to another resource', value: '../configmaps/x' },
    { title: 'an encoded slash', value: 'a%2fb' },
    { title: 'the parent folder', value: '..' },
    { title: 'white space', value: ' ' },
    { title: 'a line end', value: 'admin\n' },
    { title: 'a capital letter', value: 'Admin' },
    { title: 'another script', value: 'größe' },
    { title: 'a first dash', value: '-admin' },
    { title: 'a last dash', value: 'admin-' },
    { title: 'an empty label', value: 'a..b' },
    { title: 'a label with a first dash', value: 'a.-b' },
    { title: 'a label with a last dash', value: 'a.b-' },
  ])('is not $title', ({ value }) => {
    expect(name(value)).toEqual(malformed('that is not the name of a Secret'));
  });

  test('has at most 253 characters and is a string', () => {
    expect(name('n'.repeat(254))).toEqual(tooLong);
    expect(name(['hana-admin'])).toEqual(malformed('that is not a string but an array'));
  });
});
