import { expect, test } from '@jest/globals';
import { bounds, jsonFields, keyProblem, textProblem } from './json-documents.ts';

test.each([
  { key: 'a.b.c', problem: undefined },
  { key: 'x'.repeat(1024), problem: undefined },
  { key: 'x'.repeat(1025), problem: 'want at most 1024 characters' },
  { key: `a${'.a'.repeat(63)}`, problem: undefined },
  { key: `a${'.a'.repeat(64)}`, problem: 'want at most 64 segments' },
  { key: '.'.repeat(45_000), problem: 'want at most 1024 characters' },
  { key: 'a\nb', problem: 'want no control characters' },
  { key: 'a\u0085b', problem: 'want no control characters' },
  { key: 'ü'.repeat(1025), problem: 'want at most 1024 characters' },
  { key: '.'.repeat(64), problem: 'want at most 64 segments' },
])('a key of a configuration is within its bounds, or says why not: $problem', ({ key, problem }) => {
  expect(keyProblem(key)).toBe(problem);
});

test.each([
  { bound: bounds.component, text: 'serverless', problem: undefined },
  { bound: bounds.component, text: 'CRDs', problem: undefined },
  { bound: bounds.component, text: 'a/../b', problem: 'want a name of letters, digits, -, _ and .' },
  { bound: bounds.component, text: 'n'.repeat(254), problem: 'want at most 253 characters' },
  { bound: bounds.component, text: '.hidden', problem: 'want a name of letters, digits, -, _ and .' },
  { bound: bounds.component, text: 'сomponent', problem: 'want a name of letters, digits, -, _ and .' },
  { bound: bounds.component, text: 'a b', problem: 'want a name of letters, digits, -, _ and .' },
  { bound: bounds.namespace, text: 'a.b', problem: 'want the name of a namespace' },
  { bound: bounds.namespace, text: '-a', problem: 'want the name of a namespace' },
  { bound: bounds.metadata, text: 'g'.repeat(257), problem: 'want at most 256 characters' },
  { bound: bounds.profile, text: 'a\u007f', problem: 'want no control characters' },
  { bound: bounds.url, text: 'u'.repeat(2049), problem: 'want at most 2048 characters' },
  { bound: bounds.namespace, text: 'Kyma', problem: 'want the name of a namespace' },
  { bound: bounds.version, text: 'refs/heads/main', problem: undefined },
  { bound: bounds.version, text: 'v'.repeat(257), problem: 'want at most 256 characters' },
  { bound: bounds.name, text: 'team/Ünser Cluster', problem: undefined },
])('$text is bounded: $problem', ({ bound, text, problem }) => {
  expect(textProblem(text, bound)).toBe(problem);
});

test.each<[what: string, value: unknown, problem: string | undefined]>([
  ['a text', 'a', undefined],
  ['a backslash before u0000', 'a\\u0000', undefined],
  ['a character of two units', { '\u{1f600}': ['\u{1f600}'] }, undefined],
  ['a NUL', 'a\0', 'value: it has a NUL character'],
  ['a NUL in a key', { 'a\0': 1 }, 'value: it has a NUL character'],
  ['half of a surrogate pair', 'a\ud800', 'value: it is no well-formed Unicode'],
  ['half of a pair in a list in an object', { a: [{ b: '\udc00' }] }, 'value: it is no well-formed Unicode'],
  ['half of a pair in a key', { a: { '\ud83d': 1 } }, 'value: it is no well-formed Unicode'],
])('a value of a configuration is refused when it enters if it cannot be stored: %s', (_, value, problem) => {
  const fields = jsonFields({ value }, { refuse: (text) => new Error(text), areStored: true });
  const read = () => fields.json('value');
  if (problem === undefined) expect(read()).toEqual(value);
  else expect(read).toThrow(problem);
});
