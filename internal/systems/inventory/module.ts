/** Mappings of HANA Cloud instances to Kyma namespaces and other environments. */
import type { Module } from '../../framework/module/module.ts';
import { discoverCommand } from './discovery/discover-command.ts';
import { type InventoryFlags, inventoryFlags } from './flags.ts';

export const inventoryModule = {
  name: 'inventory',
  needs: ['config'],
  flags: inventoryFlags,
  doctorFlags: { 'cluster-id-config-map': inventoryFlags['cluster-id-config-map'] },
  diagnosed: ['kymainstancemapping', 'instancemapping'],
  diagnosesClusterScope: true,
  commands: [discoverCommand],
  load: async () => (await import('./inventory.ts')).inventory,
} as const satisfies Module<InventoryFlags>;
