import { expect, test } from '@jest/globals';
import { metadataProblem } from './secret-document.ts';

const withLabel = (key: string, value = 'x') =>
  metadataProblem({ labels: { [key]: value }, annotations: {} });
const withAnnotation = (key: string, value = 'x') =>
  metadataProblem({ labels: {}, annotations: { [key]: value } });

test.each(['tier', 'a.b/c', 'shop-1.example/tier', `${'a'.repeat(253)}/x`, 'A_b.C'])(
  'a valid key of a label: %s',
  (key) => {
    expect(withLabel(key)).toBeUndefined();
  },
);

test.each(['-shop/x', 'shop-/x', 'Shop/x', 'shop..example/x', '/x', 'a/b/c', 'a/', `${'a'.repeat(254)}/x`])(
  'no valid key of a label: %s',
  (key) => {
    expect(withLabel(key)).toContain('which is not a valid key of a label');
  },
);

test('the case of the prefix of an annotation does not count', () => {
  expect(withAnnotation('Shop.Example/note')).toBeUndefined();
  expect(withAnnotation('shop_example/note')).toContain('which is not a valid key of an annotation');
});

test('annotations have 256 KiB at most, keys and values together', () => {
  const limit = 256 * 1024;
  expect(withAnnotation('note', 'x'.repeat(limit - 4))).toBeUndefined();
  expect(withAnnotation('note', 'x'.repeat(limit - 3))).toBe(
    `metadata.annotations has ${limit + 1} bytes; the limit is ${limit} bytes`,
  );
});

test.each(['stale', 'watch-secret', 'Stale'])('the operator alone sets its mark %s', (name) => {
  const key = `services.cloud.sap.com/${name}`;
  const only = 'keys with services.cloud.sap.com/ are set by the operator only';
  expect(withLabel(key, 'x')).toBe(`metadata.labels has the key "${key}"; ${only}`);
  expect(withAnnotation(key, 'x')).toBe(`metadata.annotations has the key "${key}"; ${only}`);
  // API servers accept annotations with a prefix in any case.
  const other = `Services.Cloud.SAP.com/${name}`;
  expect(withAnnotation(other, 'x')).toBe(`metadata.annotations has the key "${other}"; ${only}`);
});
