import type { Command } from 'commander';
import { outputOption } from '../../console/format.ts';
import type { ProcessLike } from '../../console/process-like.ts';
import { addConnectionFlags, type DoctorFlags } from '../flags.ts';
import { doctorExitCodes } from './doctor.ts';

/** Adds `doctor`. */
export function addDoctorCommand(root: Command, host: ProcessLike): Command {
  const doctor = root
    .command('doctor')
    .summary('say what a mapping lacks, which rights do, or what an uninstallation would break')
    .description(
      'Follows the chain of a KymaInstanceMapping hop by hop and says what is missing; with --permissions, names each right that the provider lacks on the management cluster, and the rule to add; with --before-uninstall, names what would be lost or hang if the provider were uninstalled now.',
    )
    .argument('[mapping]', 'name of the KymaInstanceMapping; a namespaced one with -n')
    .option('--before-uninstall', 'look at all resources of the provider instead of at one mapping')
    .option('--permissions', 'look at the rights of the provider as a whole instead of at one mapping')
    .option(
      '--as <user>',
      'whose rights on the management cluster to look at, e.g. system:serviceaccount:crossplane-system:provider-kyma; default: your own',
    )
    .addOption(outputOption());
  return addConnectionFlags(doctor, host.env)
    .addHelpText(
      'after',
      `\nExit codes: ${doctorExitCodes.healthy} every hop holds, the rights suffice, or nothing would be lost or hang; ${doctorExitCodes.unhealthy} a hop or a right is missing, or something would; ${doctorExitCodes.usage} the cluster could not be asked`,
    )
    .action(async (mapping: string | undefined, flags: DoctorFlags) => {
      if (flags.permissions) {
        if (mapping !== undefined || flags.beforeUninstall) {
          doctor.error('error: --permissions is about all mappings, not one, and a question of its own');
        }
        const { runPermissions } = await import('./permissions/run-permissions.ts');
        host.exitCode = await runPermissions(flags, host);
        return;
      }
      if (flags.beforeUninstall) {
        if (mapping !== undefined) doctor.error('error: --before-uninstall is about all mappings, not one');
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
