import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { ServiceInstanceSpec } from './resource.ts';
import { isMd5, specHash, specText } from './spec-hash.ts';

/** Texts and hashes that a Go program with the structs of the SAP BTP service operator wrote (encoding/json of Go 1.26). */
const golden: readonly Golden[] = JSON.parse(
  readFileSync(new URL('spec-hash.golden.json', import.meta.url), 'utf8'),
);

interface Golden {
  readonly title: string;
  readonly spec: ServiceInstanceSpec;
  readonly text: string;
  readonly hash: string;
}

test.each(golden)(
  '[B12.10] the hash of a spec is that of the Go operator: $title',
  ({ spec, text, hash }) => {
    expect(specText(spec)).toBe(text);
    expect(specHash(spec)).toBe(hash);
  },
);

const spec: ServiceInstanceSpec = { serviceOfferingName: 'xsuaa', servicePlanName: 'application' };

test('[B163] the spec hash is a SHA-256 in hex, without shared, and changes with the plan and parametersFrom', () => {
  const hash = specHash(spec);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(specHash({ ...spec, shared: true })).toBe(hash);
  expect(specHash({ ...spec, servicePlanName: 'broker' })).not.toBe(hash);
  const parametersFrom = [{ secretKeyRef: { name: 'a', key: 'b' } }];
  expect(specHash({ ...spec, parametersFrom })).not.toBe(hash);
});

test('the hash of an old release is recognised by its length', () => {
  expect(isMd5('0123456789abcdef0123456789abcdef')).toBe(true);
  expect(isMd5(specHash(spec))).toBe(false);
  expect(isMd5('')).toBe(false);
});
