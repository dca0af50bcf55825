import type { ManagedCluster } from '../model/component.ts';

/** A cluster whose answers are not counted: that of the operators. */
export function uncountedCluster(cluster: Omit<ManagedCluster, 'part' | 'keep'>): ManagedCluster {
  const uncounted: ManagedCluster = {
    ...cluster,
    part: async () => ({ ...uncounted, [Symbol.dispose]: () => undefined }),
    keep: () => undefined,
  };
  return uncounted;
}
