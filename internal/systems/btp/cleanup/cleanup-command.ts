import type { ModuleCommand } from '../../../framework/module/module.ts';
import { addFlags } from '../../../framework/process/flag.ts';
import { type CleanupFlags, cleanupExitCodes, cleanupFlags } from './cleanup-flags.ts';

/** The command `btp`, with `cleanup`. */
export const btpCommand: ModuleCommand = {
  name: 'btp',
  usageExitCode: cleanupExitCodes.usage,
  define: (btp, context) => {
    btp.description('Commands for ServiceInstances and ServiceBindings of the cluster');
    const cleanup = btp
      .command('cleanup')
      .summary('delete all ServiceBindings and ServiceInstances, before the operator is uninstalled')
      .description(
        'Deletes ServiceBindings, then ServiceInstances, and waits until the running operator has removed them, in Service Manager too. Nothing is deleted if an instance is annotated with preventDeletion, or a KymaInstanceMapping uses one of the objects. The Helm chart runs it before an uninstallation.',
      )
      .option(
        '--all',
        'in all namespaces of the operator; with --allow-cluster-access=false those are --allowed-namespaces and --release-namespace. Also deletes the record of the cluster ID, and releases Secrets with credentials in --management-namespace',
      );
    addFlags(cleanup, cleanupFlags);
    context
      .addConnectionFlags(cleanup, { externalApis: false })
      .addHelpText(
        'after',
        `\nExit codes: ${cleanupExitCodes.clean} nothing is left; ${cleanupExitCodes.left} something is left, or could not be listed; ${cleanupExitCodes.usage} the command line is invalid`,
      )
      .action(async (flags: CleanupFlags) => {
        // Without a namespace or --all a typing error would delete everything.
        if (flags.namespace === '' || (flags.namespace === undefined) === (flags.all !== true)) {
          cleanup.error('error: name one namespace with -n, or all with --all');
        }
        const { runCleanup } = await import('./clean-up.ts');
        context.host.exitCode = await runCleanup(flags, cleanup, context);
      });
  },
};
