import { expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/logger.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { KubeClient, ListOptions } from '../../kube/client/client.ts';
import { createOccupancyTracker } from './occupancy-tracker.ts';

test('pools of all pods stay, also of those beyond the first page of the list', async () => {
  const clock = createFakeClock();
  const kept: (readonly string[])[] = [];
  const list = async (_type: unknown, { continue: from }: ListOptions) => ({
    items: [{ metadata: { name: from === undefined ? 'pod-1' : 'pod-2' } }],
    ...(from === undefined ? { continue: 'more' } : {}),
  });
  const tracker = createOccupancyTracker({
    clock,
    log: nopLogger,
    poolId: 'own',
    poolSize: 1,
    running: () => 0,
    client: { list } as unknown as Pick<KubeClient, 'list'>,
    occupancy: {
      report: async () => 'updated',
      remove: async () => undefined,
      poolIds: async () => [],
      keepOnly: async (names) => kept.push(names),
      ratios: async () => new Map(),
    },
  });
  const stop = new AbortController();
  const ended = tracker.start(stop.signal, stop.signal);

  await clock.advance(305_000);
  stop.abort();
  await clock.advance(5000);
  await ended;

  expect(kept).toEqual([['pod-1', 'pod-2', 'pod-1', 'pod-2']]);
});
