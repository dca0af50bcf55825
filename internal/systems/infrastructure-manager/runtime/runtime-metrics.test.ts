import { expect, test } from '@jest/globals';
import { clusterStates, kubeconfigExpirations } from '../gardenercluster/cluster-metrics.ts';
import { runtimeStates } from './runtime-metrics.ts';

test('[N126] gauges name the Shoot by the label shoot', async () => {
  const shown: Record<string, readonly string[]> = {};
  const metrics = {
    gauge: ({ name, labels = [] }: { name: string; labels?: readonly string[] }) => {
      shown[name] = labels;
      return { set: () => undefined, remove: () => undefined, clear: () => undefined };
    },
  } as never;
  const cache = { subscribe: () => () => undefined } as never;
  runtimeStates(cache, { metrics });
  clusterStates(cache, { metrics });
  kubeconfigExpirations({ metrics });
  for (const labels of Object.values(shown)) {
    expect(labels).toContain('shoot');
    expect(labels).not.toContain('shootName');
  }
  expect(Object.keys(shown)).toHaveLength(3);
});
