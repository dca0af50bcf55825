/** Clusters whose Kyma components a mothership of the Kyma reconciler manages. */
import type { Module } from '../../../framework/module/module.ts';

export const reconcilerModule = {
  name: 'reconciler',
  diagnosed: ['kymacluster'],
  diagnosesClusterScope: true,
  load: async () => (await import('./reconciler.ts')).reconciler,
} as const satisfies Module;
