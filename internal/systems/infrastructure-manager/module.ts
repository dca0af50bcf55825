/** The Kyma infrastructure manager: clusters of Gardener for Runtimes. */
import type { Module } from '../../framework/module/module.ts';
import {
  type InfrastructureManagerFlags,
  infrastructureManagerDoctorFlags,
  infrastructureManagerFlags,
} from './settings/flags.ts';

export const infrastructureManagerModule = {
  name: 'infrastructure-manager',
  flags: infrastructureManagerFlags,
  diagnosed: ['runtime'],
  diagnosesAll: true,
  doctorFlags: infrastructureManagerDoctorFlags,
  // Of the Kyma infrastructure manager, so that only one of the two programs reconciles. It elects no leader by default.
  ownLease: 'f1c68560.kyma-project.io',
  load: async () => (await import('./infrastructure-manager.ts')).infrastructureManager,
} as const satisfies Module<InfrastructureManagerFlags>;
