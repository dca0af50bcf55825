import type { Command } from 'commander';
import { outputOption } from '../../console/format.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import { addConnectionFlags, type DoctorFlags } from '../flags.ts';
import { doctorExitCodes } from './doctor.ts';

/** Adds `doctor`. */
export function addDoctorCommand(root: Command, host: ProcessLike): Command {
  const doctor = root
    .command('doctor')
    .summary('find what a mapping needs, missing rights, or the effects of an uninstallation')
    .description(
      'Checks each step that a KymaInstanceMapping needs, and prints what is missing. With --permissions, prints each missing right of the provider on the management cluster, and the rule to add. With --before-uninstall, prints what would be lost or hang if the provider were uninstalled now.',
    )
    .argument('[mapping]', 'name of the KymaInstanceMapping; a namespaced one with -n')
    .option('--before-uninstall', 'check all resources of the provider instead of one mapping')
    .option('--permissions', 'check all rights of the provider instead of one mapping')
    .option(
      '--as <user>',
      'user whose rights on the management cluster are checked, e.g. system:serviceaccount:crossplane-system:provider-kyma; default: your own',
    )
    .addOption(outputOption());
  return addConnectionFlags(doctor, host.env)
    .addHelpText(
      'after',
      `\nExit codes: ${doctorExitCodes.healthy} all steps succeed, all rights are granted, or nothing would be lost or hang; ${doctorExitCodes.unhealthy} a step fails, a right is missing, or something would be lost or hang; ${doctorExitCodes.usage} a check was not possible`,
    )
    .action(async (mapping: string | undefined, flags: DoctorFlags) => {
      if (flags.permissions) {
        if (mapping !== undefined || flags.beforeUninstall) {
          doctor.error(
            'error: --permissions checks all mappings; do not combine it with a mapping or --before-uninstall',
          );
        }
        const { runPermissions } = await import('./permissions/run-permissions.ts');
        host.exitCode = await runPermissions(flags, host);
        return;
      }
      if (flags.beforeUninstall) {
        if (mapping !== undefined)
          doctor.error('error: --before-uninstall checks all mappings; do not combine it with a mapping');
        const { runBeforeUninstall } = await import('./before-uninstall.ts');
        host.exitCode = await runBeforeUninstall(flags, host);
        return;
      }
      if (mapping === undefined) doctor.error("error: missing required argument 'mapping'");
      else {
        const { runDoctor } = await import('./run-doctor.ts');
        host.exitCode = await runDoctor(mapping, flags, host);
      }
    });
}
