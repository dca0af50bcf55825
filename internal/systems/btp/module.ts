/** The SAP BTP service operator: service instances and bindings in SAP Service Manager. */
import type { Module } from '../../framework/module/module.ts';
import { btpCommand } from './cleanup/cleanup-command.ts';
import { type BtpFlags, btpDoctorFlags, btpFlags } from './settings/flags.ts';

export const btpModule = {
  name: 'btp',
  flags: btpFlags,
  commands: [btpCommand],
  diagnosed: ['serviceinstance', 'servicebinding'],
  doctorFlags: btpDoctorFlags,
  load: async () => (await import('./btp.ts')).btp,
} as const satisfies Module<BtpFlags>;
