import { expect, test } from '@jest/globals';
import { foldedReason } from './overview.ts';

test.each([
  ['#1: no NATS', '#1-#5: no NATS'],
  ['timed out after 10 s: istio', 'timed out after 12 s: istio'],
  [
    'Deployment istio-system/pilot of 6f1c9d9e-2f0a-4f8c-8a3e-6c2f1f0c8f21 is not ready',
    'Deployment istio-system/pilot of 0a1c9d9e-2f0a-4f8c-8a3e-6c2f1f0c8f99 is not ready',
  ],
  [
    'GET https://api.a.example.org/api failed: ENOTFOUND',
    'GET https://api.b.example.org/api failed: ENOTFOUND',
  ],
  ['connect ECONNREFUSED 10.0.0.1:443', 'connect ECONNREFUSED 10.0.17.200:6443'],
])('%s and %s are one cause', (one, other) => {
  expect(foldedReason(one)).toBe(foldedReason(other));
});

test.each([
  ['no NATS', 'no Istio'],
  ['istio/templates/a.yaml: nil pointer', 'istio/templates/b.yaml: nil pointer'],
])('%s and %s are two', (one, other) => {
  expect(foldedReason(one)).not.toBe(foldedReason(other));
});

test('a long text is folded in linear time', () => {
  expect(foldedReason('a1'.repeat(50_000)).length).toBeGreaterThan(0);
});
