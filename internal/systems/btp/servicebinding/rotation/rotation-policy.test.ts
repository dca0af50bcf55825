import { expect, test } from '@jest/globals';
import {
  forceRotateAnnotation,
  originalBindingAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../../metadata.ts';
import type { ServiceBinding } from '../resource.ts';
import { expiresAt, nextDates, originOf, rotationDueAt } from './rotation-policy.ts';

const CREATED = Date.parse('2026-01-01T00:00:00Z');
const HOUR = 3_600_000;

interface Parts {
  readonly policy?: ServiceBinding['spec']['credentialsRotationPolicy'];
  readonly annotations?: Record<string, string>;
  readonly labels?: Record<string, string>;
  readonly last?: string;
}

const binding = ({ policy, annotations = {}, labels = {}, last }: Parts): ServiceBinding => ({
  apiVersion: 'services.cloud.sap.com/v1',
  kind: 'ServiceBinding',
  metadata: {
    name: 'orders',
    namespace: 'shop',
    creationTimestamp: new Date(CREATED).toISOString(),
    annotations,
    labels,
  },
  spec: { serviceInstanceName: 'db', ...(policy ? { credentialsRotationPolicy: policy } : {}) },
  status: { conditions: [], ...(last ? { lastCredentialsRotationTime: last } : {}) },
});
const policy = (rotationFrequency?: string, enabled = true) => ({
  enabled,
  ...(rotationFrequency === undefined ? {} : { rotationFrequency }),
});

test.each([
  ['without a policy', {}, undefined],
  ['with a policy that is not enabled', { policy: policy('1h', false) }, undefined],
  ['after the frequency, from its creation', { policy: policy('1h') }, CREATED + HOUR],
  ['after 72 h by default', { policy: policy() }, CREATED + 72 * HOUR],
  ['after 72 h if the frequency is no duration', { policy: policy('often') }, CREATED + 72 * HOUR],
  ['after 72 h if the frequency is endless', { policy: policy(`${'9'.repeat(400)}h`) }, CREATED + 72 * HOUR],
  [
    'after the frequency, from the last rotation',
    { policy: policy('90m'), last: '2026-02-01T00:00:00Z' },
    Date.parse('2026-02-01T01:30:00Z'),
  ],
  ['at once with a frequency of 1 ns', { policy: policy('1ns') }, CREATED + 1e-6],
  [
    'a minute after the last rotation with a frequency of 1 ns',
    { policy: policy('1ns'), last: '2026-02-01T00:00:00Z' },
    Date.parse('2026-02-01T00:01:00Z'),
  ],
  ['now if it is requested', { policy: policy('1h'), annotations: { [forceRotateAnnotation]: '' } }, 0],
  [
    'never if it is requested without an enabled policy',
    { policy: policy('1h', false), annotations: { [forceRotateAnnotation]: 'true' } },
    undefined,
  ],
  ['never if it was replaced', { policy: policy('1h'), labels: { [staleLabel]: 'id' } }, undefined],
])('a rotation is due %s', (_, parts: Parts, expected) => {
  expect(rotationDueAt(binding(parts))).toBe(expected);
});

test('a replaced binding expires after the time to live of its policy, 48 h by default', () => {
  const labels = { [staleLabel]: 'id' };
  expect(expiresAt(binding({ labels, policy: { enabled: false, rotatedBindingTTL: '30m' } }))).toBe(
    CREATED + HOUR / 2,
  );
  expect(expiresAt(binding({ labels, policy: { enabled: false } }))).toBe(CREATED + 48 * HOUR);
  expect(expiresAt(binding({ labels, policy: { enabled: false, rotatedBindingTTL: '-1h' } }))).toBe(CREATED);
});

test('a binding without a policy or that was not replaced does not expire', () => {
  expect(expiresAt(binding({ labels: { [staleLabel]: 'id' } }))).toBeUndefined();
  expect(expiresAt(binding({ policy: policy('1h') }))).toBeUndefined();
});

test('the annotation names the origin before the label, which may be shortened', () => {
  const labels = { [rotationOfLabel]: 'short' };
  expect(originOf(binding({ labels, annotations: { [originalBindingAnnotation]: 'full' } }))).toBe('full');
  expect(originOf(binding({ labels }))).toBe('short');
  expect(originOf(binding({}))).toBeUndefined();
});

test('a binding that has no labels, annotations and status yet is rotated as others', () => {
  const { annotations: _, labels: __, ...metadata } = binding({}).metadata;
  const { status: ___, ...unmarked } = { ...binding({ policy: policy('1h') }), metadata };
  expect(rotationDueAt(unmarked)).toBe(CREATED + HOUR);
  expect(nextDates(unmarked)).toEqual([CREATED + HOUR]);
  expect(originOf(unmarked)).toBeUndefined();
  expect(expiresAt(unmarked)).toBeUndefined();
});

test('without a time of creation nothing is due and nothing expires', () => {
  const uncreated = (parts: Parts) => {
    const { metadata, ...rest } = binding(parts);
    const { creationTimestamp: _, ...others } = metadata;
    return { ...rest, metadata: others };
  };
  expect(rotationDueAt(uncreated({ policy: policy('1h') }))).toBeUndefined();
  expect(
    expiresAt(uncreated({ policy: policy('1h', false), labels: { [staleLabel]: 'id' } })),
  ).toBeUndefined();
});
