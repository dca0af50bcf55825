import { expect, test } from '@jest/globals';
import { createFakeClock } from '../../../../../framework/base/time/fake-clock.ts';
import type { Mothership } from '../../model/mothership.ts';
import type { HistoryWindow } from '../../model/overview.ts';
import { type ApiRequest, everyRole } from '../api-request.ts';
import { overviewRoutes } from './overview-routes.ts';

function setUp() {
  const clock = createFakeClock();
  let reads = 0;
  let fails = false;
  const read = async () => {
    reads++;
    if (fails) throw new Error('no connection');
    return [];
  };
  const overview: Partial<Mothership['overview']> = {
    history: read,
    load: read,
    counts: async () => ({ statuses: [], groups: [], versions: [], components: [] }),
    running: async () => ({ count: 0, operations: [] }),
    failures: async () => [],
  };
  const routes = overviewRoutes({
    clock,
    overview: overview as Mothership['overview'],
    rollouts: { list: async () => [] } as Partial<Mothership['rollouts']> as Mothership['rollouts'],
  });
  const call = (path: string, { window, ...more }: Partial<ApiRequest> & { window?: HistoryWindow } = {}) => {
    const request = { parameter: () => window, ...more };
    return routes.find((route) => route.path === path)?.handle(request as unknown as ApiRequest);
  };
  return {
    ...{ clock, call },
    reads: () => reads,
    fail: (does: boolean) => {
      fails = does;
    },
  };
}

test.each([
  { path: '/load', forMs: 250 },
  { path: '/history', window: 'hour', forMs: 250 },
  { path: '/history', window: 'day', forMs: 120_000 },
  { path: '/history', window: 'week', forMs: 600_000 },
] as const)('$path $window is read once in $forMs ms, unless it could not be read', async (each) => {
  const { clock, call, reads, fail } = setUp();
  const { path, forMs } = each;
  const read = () => call(path, 'window' in each ? { window: each.window } : {});
  fail(true);
  await expect(Promise.all([read(), read()])).rejects.toThrow('no connection');
  fail(false);
  await read();
  expect(reads()).toBe(2);
  await clock.advance(forMs - 1);
  await read();
  expect(reads()).toBe(2);
  await clock.advance(1);
  await read();
  expect(reads()).toBe(3);
});

test.each([
  { user: 'ann', roles: everyRole, mayChange: true },
  { user: 'ann', roles: new Set(['viewer', 'operator'] as const), mayChange: false },
  // The record of a rollout says who resumed it.
  { user: undefined, roles: everyRole, mayChange: false },
])('a page of $user says whether the user may change something', async ({ user, roles, mayChange }) => {
  const { call } = setUp();
  expect((await call('/overview', { caller: { user, roles } }))?.body).toMatchObject({
    user: user ?? '',
    mayChange,
  });
});
