import { expect, test } from '@jest/globals';
import { checkOwnNamespace } from './own-namespace.ts';

const path = 'internal/framework/rest/rest-api.ts';
const check = (text: string, of = path) => checkOwnNamespace(new Map([[of, text]])).length;

test.each([
  ["{ name: ref.name, namespace: metadata.namespace ?? ref.namespace ?? '' }", 0],
  ['const own = namespace ?? secretRef?.namespace;', 0],
  ["const text = ref.namespace ?? '';", 0],
  ["{ name: ref.name, namespace: ref.namespace ?? metadata.namespace ?? '' }", 1],
  ['const own = secretRef?.namespace ?? namespace;', 1],
  ['const own =\n  providerConfigReference.namespace ??\n  resource.metadata.namespace;', 1],
])('%s', (text, problems) => {
  expect(check(text)).toBe(problems);
});

test('tests and fixtures may do as they like', () => {
  const text = 'const own = ref.namespace ?? namespace;';
  expect([check(text, 'internal/framework/rest/a.test.ts'), check(text, 'hack/a.ts')]).toEqual([0, 0]);
});
