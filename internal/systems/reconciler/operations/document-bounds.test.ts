import { expect, test } from '@jest/globals';
import { bounds, keyProblem, textProblem } from './document-bounds.ts';

test.each([
  { key: 'a.b.c', problem: undefined },
  { key: 'x'.repeat(1024), problem: undefined },
  { key: 'x'.repeat(1025), problem: 'want at most 1024 characters' },
  { key: `a${'.a'.repeat(63)}`, problem: undefined },
  { key: `a${'.a'.repeat(64)}`, problem: 'want at most 64 segments' },
  { key: '.'.repeat(45_000), problem: 'want at most 1024 characters' },
  { key: 'a\nb', problem: 'want no control characters' },
])('a key of a configuration is within its bounds, or says why not: $problem', ({ key, problem }) => {
  expect(keyProblem(key)).toBe(problem);
});

test.each([
  { bound: bounds.component, text: 'serverless', problem: undefined },
  { bound: bounds.component, text: 'CRDs', problem: undefined },
  { bound: bounds.component, text: 'a/../b', problem: 'want a name of letters, digits, -, _ and .' },
  { bound: bounds.component, text: 'n'.repeat(254), problem: 'want at most 253 characters' },
  { bound: bounds.namespace, text: 'Kyma', problem: 'want the name of a namespace' },
  { bound: bounds.version, text: 'refs/heads/main', problem: undefined },
  { bound: bounds.version, text: 'v'.repeat(257), problem: 'want at most 256 characters' },
  { bound: bounds.name, text: 'team/Ünser Cluster', problem: undefined },
])('$text is bounded: $problem', ({ bound, text, problem }) => {
  expect(textProblem(text, bound)).toBe(problem);
});
