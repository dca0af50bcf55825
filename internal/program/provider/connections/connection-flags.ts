/** Flags of the commands other than `start` that connect to clusters and external APIs. */
import type { Command } from 'commander';
import { addFlag, addSwitch } from '../../../framework/process/flags/flag.ts';
import { flagTable, type StartFlags } from '../flags.ts';

export interface ConnectionFlags
  extends Pick<StartFlags, 'kubeconfig' | 'debug'>,
    Partial<Pick<StartFlags, 'allowPrivateEndpoints'>> {
  readonly context?: string;
  readonly namespace?: string;
}

/**
 * Adds the flags of kubectl, and some that `start` has as well. Boolean flags take no value here.
 *
 * @param to whether the command connects to external APIs, or to clusters only
 */
export function addConnectionFlags(
  command: Command,
  env: NodeJS.ProcessEnv,
  to: { readonly externalApis: boolean },
): Command {
  const { kubeconfig, debug, 'allow-private-endpoints': privateEndpoints } = flagTable();
  addFlag(command, 'kubeconfig', kubeconfig);
  command
    .option('--context <name>', 'context of the kubeconfig; default: its current one')
    .option('-n, --namespace <name>', 'namespace of namespaced resources; default: that of the context');
  if (to.externalApis) addSwitch(command, 'allow-private-endpoints', privateEndpoints, env);
  addSwitch(command, 'debug', { ...debug, help: 'log on standard error' }, env);
  return command;
}
