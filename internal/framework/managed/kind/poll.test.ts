import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { clusterWidgets, widget } from '../fakes/managed-harness.ts';
import { effectivePollInterval, inGroups, jitterFraction, jitterSpan, pollOffsetOf } from './poll.ts';

describe('effectivePollInterval', () => {
  test.each([
    { title: '[95] none asked for', value: undefined, ms: 60_000 },
    { title: '[96] more than the bound', value: '24h', ms: 86_400_000 },
    { title: '[97] the bound itself', value: '30s', ms: 30_000 },
    { title: '[98] less than the bound', value: '1s', ms: 30_000 },
    { title: '[99] garbage', value: 'garbage', ms: 60_000 },
    { title: 'more than a day', value: '8760h', ms: 86_400_000 },
    { title: 'more than a number can say', value: `${'9'.repeat(400)}h`, ms: 86_400_000 },
  ])('$title', ({ value, ms }) => {
    const annotations: Record<string, string> =
      value === undefined ? {} : { 'crossplane.io/poll-interval': value };
    const resource = widget(clusterWidgets, { metadata: { annotations } });
    expect(effectivePollInterval(resource, { intervalMs: 60_000, minIntervalMs: 30_000 })).toBe(ms);
  });
});

test('property: jitter stays within its share or span of the interval', () => {
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

test.each([
  { random: 0, share: 900, span: 800 },
  { random: 0.5, share: 1000, span: 1000 },
  { random: 1, share: 1100, span: 1200 },
])('with the random value $random jitter takes the bound or the middle', ({ random, share, span }) => {
  const resource = widget(clusterWidgets);
  expect(jitterFraction(0.1, () => random)(resource, 1000)).toBeCloseTo(share);
  expect(jitterSpan(200, () => random)(resource, 1000)).toBeCloseTo(span);
});

describe('polls in groups', () => {
  const INTERVAL_MS = 60_000;
  const groupOf = ({ metadata }: { metadata: { name: string } }) => metadata.name;
  const named = (name: string) => widget(clusterWidgets, { metadata: { name } });

  test('property: resources of one group are polled at the same time, whenever each was settled, and then once an interval', async () => {
    const waits = fc.array(fc.integer({ min: 0, max: 10 * INTERVAL_MS }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.string(), waits, async (name, settledAfter) => {
        const clock = createFakeClock();
        const hook = inGroups(clock, groupOf, () => Number.NaN);
        const moments = new Set<number>();
        for (const wait of settledAfter) {
          await clock.advance(wait);
          const delay = hook(named(name), INTERVAL_MS);
          expect(delay).toBeGreaterThanOrEqual(INTERVAL_MS / 2);
          expect(delay).toBeLessThan(1.5 * INTERVAL_MS);
          moments.add(Math.round(clock.monotonic() + delay) % INTERVAL_MS);
          await clock.advance(delay);
          // Its reconcile takes some time.
          await clock.advance(500);
          expect(Math.round(hook(named(name), INTERVAL_MS))).toBe(INTERVAL_MS - 500);
        }
        expect(moments.size).toBe(1);
      }),
    );
  });

  test('groups are spread over the interval, the same in every process', () => {
    const seconds = new Array<number>(INTERVAL_MS / 1000).fill(0);
    for (let group = 0; group < 6000; group++) {
      const second = Math.floor((pollOffsetOf(`database ${group}`) * INTERVAL_MS) / 1000);
      seconds[second] = (seconds[second] ?? 0) + 1;
    }
    // 100 each, with the deviation of chance: √100.
    expect(Math.max(...seconds)).toBeLessThan(150);
    expect(Math.min(...seconds)).toBeGreaterThan(50);
    expect(pollOffsetOf('database 1')).toBeCloseTo(0.871304158, 9);
  });

  test('a group with resources of several kinds has one offset', () => {
    const clock = createFakeClock();
    const hooks = [1, 2].map(() => inGroups(clock, groupOf, () => Number.NaN));
    const waits = ['a', 'b', 'a'].map((name) => hooks.map((hook) => hook(named(name), INTERVAL_MS)));
    for (const [one, other] of waits) expect(one).toBe(other);
    expect(waits[0]).toEqual(waits[2]);
    expect(waits[0]).not.toEqual(waits[1]);
  });

  test('a resource of no group is polled for itself', () => {
    const hook = inGroups(
      createFakeClock(),
      () => undefined,
      (_, intervalMs) => 2 * intervalMs,
    );
    expect(hook(named('a'), INTERVAL_MS)).toBe(2 * INTERVAL_MS);
  });
});
