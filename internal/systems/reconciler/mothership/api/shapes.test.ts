import { expect, test } from '@jest/globals';
import type { ListedCluster } from '../model/inventory.ts';
import { clusterList, clusterResponse, withinBytes } from './shapes.ts';

test.each([
  ['all that fit', [1, 2, 3], 10, [1, 2, 3]],
  ['the first ones', ['aaaa', 'bbbb', 'cccc'], 12, ['aaaa', 'bbbb']],
  ['one at least', ['a'.repeat(100), 'b'], 12, ['a'.repeat(100)]],
  ['bytes, not characters', ['ää', 'ää'], 11, ['ää']],
])('a list is cut by the bytes of its entries: %s', (_, entries, maxBytes, expected) => {
  expect(withinBytes<string | number>(entries, maxBytes)).toEqual(expected);
});

test('a page of clusters with long names goes on where it was cut', () => {
  const clusters = Array.from(
    { length: 300 },
    (_, n): ListedCluster => ({
      runtimeId: String(n).padStart(4, '0'),
      runtimeName: 'x'.repeat(90_000),
      globalAccountId: '',
      planName: '',
      kymaVersion: '1',
      configVersion: n,
      status: 'ready',
      statusSince: new Date(0),
      errors: 0,
      nextRun: undefined,
      held: false,
      group: 'ready',
      shootName: '',
      failedComponents: [],
    }),
  );
  const seen: string[] = [];
  for (let after = ''; ; ) {
    const left = clusters.filter(({ runtimeId }) => runtimeId > after);
    const page = clusterList({ clusters: left.slice(0, 201) }, 200);
    expect(JSON.stringify(page).length).toBeLessThan(2 * 1024 * 1024);
    seen.push(...page.clusters.map(({ runtimeID }) => runtimeID));
    if (page.continue === undefined) break;
    after = page.continue;
  }
  expect(seen).toEqual(clusters.map(({ runtimeId }) => runtimeId));
});

test('the failures of a cluster are cut, so that those who watch it can read them', () => {
  const failures = Array.from({ length: 256 }, (_, n) => ({
    component: `c${n}`,
    reason: 'x'.repeat(16_000),
  }));
  const state = { cluster: { version: 1, runtimeId: 'r' }, configuration: { version: 1 } };
  const shape = clusterResponse(
    { ...state, status: { id: 1, status: 'error' } },
    { baseUrl: '', contract: 1, failures },
  );
  expect(shape.failures.length).toBeGreaterThan(30);
  expect(JSON.stringify(shape).length).toBeLessThan(513 * 1024);
});

test('the address of the status of a cluster leads to it, whatever its id has', () => {
  const state = { cluster: { version: 1, runtimeId: 'a/b?c' }, configuration: { version: 2 } };
  const shape = clusterResponse(
    { ...state, status: { id: 1, status: 'ready' } },
    { baseUrl: 'https://mothership', contract: 1, failures: [] },
  );
  expect([shape.cluster, shape.statusURL]).toEqual([
    'a/b?c',
    'https://mothership/v1/clusters/a%2Fb%3Fc/configs/2/status',
  ]);
});
