import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clusterWidgets, widget } from '../fakes/managed-harness.ts';
import { effectivePollInterval, jitterFraction, jitterSpan } from './poll.ts';

describe('effectivePollInterval', () => {
  test.each([
    { title: '[95] none asked for', value: undefined, ms: 60_000 },
    { title: '[96] more than the bound', value: '24h', ms: 86_400_000 },
    { title: '[97] the bound itself', value: '30s', ms: 30_000 },
    { title: '[98] less than the bound', value: '1s', ms: 30_000 },
    { title: '[99] garbage', value: 'garbage', ms: 60_000 },
  ])('$title', ({ value, ms }) => {
    const annotations: Record<string, string> =
      value === undefined ? {} : { 'crossplane.io/poll-interval': value };
    const resource = widget(clusterWidgets, { metadata: { annotations } });
    expect(effectivePollInterval(resource, { intervalMs: 60_000, minIntervalMs: 30_000 })).toBe(ms);
  });
});

test('law: jitter stays within its share or span of the interval, whatever chance says', () => {
  const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(chance, fc.integer({ min: 1000, max: 1e8 }), (random, intervalMs) => {
      const resource = widget(clusterWidgets);
      const share = jitterFraction(0.1, () => random)(resource, intervalMs);
      expect(Math.abs(share - intervalMs)).toBeLessThanOrEqual(0.1 * intervalMs + 1e-6);
      const span = jitterSpan(1000, () => random)(resource, intervalMs);
      expect(Math.abs(span - intervalMs)).toBeLessThanOrEqual(1000 + 1e-6);
    }),
  );
});
