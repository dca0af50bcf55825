import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { coreEvent, truncate } from './core-event.ts';
import { isObjectName } from './object.ts';

const happening = {
  object: {
    apiVersion: 'g.example/v1',
    kind: 'Mapping',
    metadata: { name: 'm', uid: 'u', resourceVersion: '7' },
    spec: { secret: 'not for events' },
  },
  type: 'Warning',
  reason: 'Waiting',
  message: 'x',
  annotations: { 'external-name': 'a/b' },
  component: 'managed/mapping.g.example',
  timestamp: '2024-01-01T00:00:00Z',
  nanos: 1_704_067_200_000_000_000n,
} as const;

test('[A1] an event of a cluster-scoped object is as Crossplane’s Go runtime writes it', () => {
  expect(coreEvent(happening)).toEqual({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'm.17a6101701650000', namespace: 'default', annotations: { 'external-name': 'a/b' } },
    involvedObject: {
      apiVersion: 'g.example/v1',
      kind: 'Mapping',
      name: 'm',
      uid: 'u',
      resourceVersion: '7',
    },
    type: 'Warning',
    reason: 'Waiting',
    message: 'x',
    count: 1,
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: '2024-01-01T00:00:00Z',
    source: { component: 'managed/mapping.g.example' },
    reportingComponent: 'managed/mapping.g.example',
    reportingInstance: '',
  });
});

test('an event of a namespaced object lies beside it', () => {
  const object = { ...happening.object, metadata: { name: 'm', namespace: 'shop' } };
  const { metadata, involvedObject } = coreEvent({ ...happening, object, annotations: {} });
  expect(metadata).toEqual({ name: 'm.17a6101701650000', namespace: 'shop' });
  expect(involvedObject.namespace).toBe('shop');
});

test.each([
  { title: '[251] an annotation comes along', annotations: { 'external-name': 'a/b' } },
  { title: '[252] two annotations come along', annotations: { 'external-name': 'a/b', pass: '7' } },
])('$title', ({ annotations }) => {
  expect(coreEvent({ ...happening, annotations }).metadata.annotations).toEqual(annotations);
});

test('a long value of an annotation is cut, as a message is', () => {
  const { metadata } = coreEvent({ ...happening, annotations: { 'external-name': 'i'.repeat(250_000) } });
  const value = metadata.annotations?.['external-name'] ?? '';
  expect(Buffer.byteLength(value)).toBeLessThanOrEqual(1024);
  expect(value).toMatch(/^i+ …\(\d+ characters\)… i+$/);
});

test.each(['-', '.'])(
  'a long name that is cut after %s gives an event a name that API servers accept',
  (separator) => {
    const name = `${'n'.repeat(235)}${separator}${'n'.repeat(17)}`;
    const object = { ...happening.object, metadata: { name } };
    expect(isObjectName(coreEvent({ ...happening, object }).metadata.name)).toBe(true);
  },
);

test('a long name leaves room for what makes the event’s own name unique', () => {
  const object = { ...happening.object, metadata: { name: 'n'.repeat(253) } };
  const { metadata } = coreEvent({ ...happening, object });
  expect(metadata.name).toHaveLength(253);
  expect(metadata.name).toMatch(/\.17a6101701650000$/);
});

describe('a message', () => {
  test('has control characters escaped, also where that makes it too long', () => {
    expect(coreEvent({ ...happening, message: 'a\u001b[2Jb\nc' }).message).toBe('a\\e[2Jb\nc');
    const { message } = coreEvent({ ...happening, message: '\u009b'.repeat(1000) });
    expect(message).toMatch(/^(\\u009b){50}.*…\(\d+ characters\)…/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(1024);
  });

  test('is cut in the middle to what the API takes, never within a character, and states that it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 40, max: 90 }), (text, max) => {
        const result = truncate(text, max);
        expect(Buffer.byteLength(result)).toBeLessThanOrEqual(max);
        if (Buffer.byteLength(text) <= max) expect(result).toBe(text);
        else {
          const [head = '', tail = ''] = result.split(/ …\(\d+ characters\)… |…$/);
          expect(text.startsWith(head) && text.endsWith(tail) && result.isWellFormed()).toBe(true);
        }
      }),
    );
  });
});
