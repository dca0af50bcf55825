import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { failingOf, type TenantResults } from './rollouts.ts';

const settings = { minClusters: 20, maxFailedPercent: 15 };
const of = (tenant: string, clusters: number, failed: number): TenantResults => ({
  tenant,
  clusters,
  failed,
});
const one = (count: number, failed: number) =>
  Array.from({ length: count }, (_, n) => of(`t${n}`, 1, n < failed ? 1 : 0));

test.each<[string, readonly TenantResults[], readonly string[]]>([
  ['clusters of many tenants', one(20, 4), ['']],
  ['few of many', one(20, 3), []],
  ['all clusters of one tenant, and there is no other', [of('hostile', 20, 20)], ['hostile']],
  [
    'all clusters of one tenant beside those of others',
    [of('hostile', 500, 500), ...one(17, 0)],
    ['hostile'],
  ],
  ['clusters of two large tenants', [of('a', 50, 50), of('b', 50, 50)], ['a', 'b']],
  ['clusters of one tenant, and many of others', [of('hostile', 50, 50), ...one(20, 4)], ['']],
  ['too few clusters', [of('a', 19, 19)], []],
])('a rollout is paused for those whose clusters fail: %s', (_, results, paused) => {
  expect(failingOf(results, settings).map(({ tenant }) => tenant)).toEqual(paused);
});

test('one tenant pauses nothing for others, however many clusters it has', () => {
  const honest = fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 40 });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      honest,
      fc.record({
        minClusters: fc.integer({ min: 10, max: 100 }),
        maxFailedPercent: fc.integer({ min: 10, max: 90 }),
      }),
      (clusters, others, wanted) => {
        const results = [of('hostile', clusters, clusters), ...others.map((n, i) => of(`t${i}`, n, 0))];
        expect(failingOf(results, wanted).filter(({ tenant }) => tenant !== 'hostile')).toEqual([]);
      },
    ),
  );
});
