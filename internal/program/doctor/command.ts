import type { Command } from 'commander';
import type { ProcessLike } from '../../framework/module/console/process-like.ts';
import { outputOption } from '../../framework/module/console/shown.ts';
import { addFlag, addGroups } from '../../framework/process/flag.ts';
import { addConnectionFlags } from '../provider/connections/program-connections.ts';
import { flagTable } from '../provider/flags.ts';
import { doctorGroups } from '../provider/modules.ts';
import { type DoctorFlags, doctorExitCodes } from './doctor.ts';

/** Adds `doctor`. */
export function addDoctorCommand(root: Command, host: ProcessLike): Command {
  const doctor = root
    .command('doctor')
    .summary('find what a resource needs, missing rights, or the effects of an uninstallation')
    .description(
      'Checks each step that a KymaInstanceMapping, an InstanceMapping, a ServiceInstance, a ServiceBinding, a Runtime or a KymaCluster needs, and prints what is missing. With --permissions, prints each missing right of the provider on the management cluster, and the rule to add. With --before-uninstall, prints what would be lost or hang if the provider were uninstalled now.',
    )
    .argument(
      '[resource]',
      'name of a KymaInstanceMapping, a namespaced one with -n; or instancemapping/NAME or kymacluster/NAME, the same; or serviceinstance/NAME, servicebinding/NAME or runtime/NAME with -n',
    )
    .option('--before-uninstall', 'check all resources of the provider instead of one')
    .option('--all', 'with runtime: what the next patch of each Runtime would change in its Shoot')
    .option('--permissions', 'check all rights of the provider instead of one resource')
    .option(
      '--composing',
      'with --permissions: check the rights of Crossplane, which composes the kinds, instead of those of the provider',
    )
    .option(
      '--as <user>',
      'user whose rights on the management cluster are checked, e.g. system:serviceaccount:crossplane-system:provider-kyma; default: your own',
    )
    .addOption(outputOption());
  addConnectionFlags(doctor, host.env, { externalApis: true });
  const help = 'modules whose rights --permissions checks, separated by commas';
  addFlag(doctor, 'controllers', { ...flagTable().controllers, help });
  return addGroups(doctor, doctorGroups)
    .addHelpText(
      'after',
      `\nExit codes: ${doctorExitCodes.healthy} all steps succeed, all rights are granted, or nothing would be lost or hang; ${doctorExitCodes.unhealthy} a step fails, a right is missing, or something would be lost or hang; ${doctorExitCodes.usage} a check was not possible`,
    )
    .action(async (resource: string | undefined, flags: DoctorFlags) => {
      if (flags.permissions) {
        if (resource !== undefined || flags.beforeUninstall) {
          doctor.error(
            'error: --permissions checks all rights; do not combine it with a resource or --before-uninstall',
          );
        }
        const { runPermissions } = await import('./permissions/run-permissions.ts');
        host.exitCode = await runPermissions(flags, host);
        return;
      }
      if (flags.beforeUninstall) {
        if (resource !== undefined)
          doctor.error('error: --before-uninstall checks all resources; do not combine it with one');
        const { runBeforeUninstall } = await import('./before-uninstall.ts');
        host.exitCode = await runBeforeUninstall(flags, host);
        return;
      }
      if (resource === undefined) doctor.error("error: missing required argument 'resource'");
      else {
        const { runDoctor } = await import('./run-doctor.ts');
        host.exitCode = await runDoctor(resource, flags, host);
      }
    });
}
