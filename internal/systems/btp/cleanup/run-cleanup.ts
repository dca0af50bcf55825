import type { Command } from 'commander';
import { reporting } from '../../../framework/module/console/reporting-command.ts';
import type { CommandContext } from '../../../framework/module/module.ts';
import { operatorLeaseName } from '../operator-lease/operator-lease.ts';
import { reconciledNamespaces, USUAL_NAMESPACE } from '../settings/btp-settings.ts';
import { cleanUp } from './clean-up.ts';
import { type CleanupFlags, cleanupExitCodes } from './cleanup-flags.ts';

/** Objects that are named at the end. */
const MAX_LINES = 20;

/** Prints steps and what is left on stderr. Returns the exit code. */
export function runCleanup(
  flags: CleanupFlags,
  command: Command,
  { host, openForWrites }: CommandContext,
): Promise<number> {
  return reporting({ name: 'btp cleanup', host, failed: cleanupExitCodes.left }, async ({ info }) => {
    await using connections = await openForWrites(command);
    const { client, deps } = connections;
    const { namespace, timeout: timeoutMs, deleteUsed } = flags;
    const releaseNamespace = flags.releaseNamespace || host.env.POD_NAMESPACE || USUAL_NAMESPACE;
    const namespaces =
      namespace === undefined ? reconciledNamespaces({ ...flags, releaseNamespace }) : [namespace];
    const left = await cleanUp({
      client,
      clock: deps.clock,
      timeoutMs,
      deleteUsed,
      report: info,
      ...(namespaces === undefined ? {} : { namespaces }),
      ...(namespace === undefined
        ? { releaseNamespace, managementNamespace: flags.managementNamespace || releaseNamespace }
        : {}),
      ...(flags.stopDeployment === ''
        ? {}
        : { operator: { deployment: flags.stopDeployment, leases: leasesOf(host.env) } }),
    });
    for (const line of left.slice(0, MAX_LINES)) info(line);
    if (left.length > MAX_LINES) info(`and ${left.length - MAX_LINES} more`);
    info(left.length === 0 ? 'nothing is left' : `${left.length} left: correct the causes and repeat`);
    return left.length === 0 ? cleanupExitCodes.clean : cleanupExitCodes.left;
  });
}

/** Those of the module, and of leader election by the name that the chart gives the provider. */
const leasesOf = ({ PROVIDER_NAME }: CommandContext['host']['env']): readonly string[] => [
  `crossplane-leader-election-${PROVIDER_NAME || USUAL_NAMESPACE}`,
  operatorLeaseName,
];
