import { type Command, Option } from 'commander';
import type { ProcessLike } from '../../../../framework/module/console/process-like.ts';
import { type LocalFlags, localExitCodes } from './local-flags.ts';

const append = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

/** `provider-kyma local`: installs, updates or deletes the components of one cluster, without a mothership. */
export function addLocalCommand(root: Command, host: ProcessLike): void {
  root
    .command('local')
    .summary('reconcile the components of a cluster in this process')
    .description(
      'Installs or updates the components of a cluster and waits until they are ready, or deletes them. Runs once, without a mothership and without a database.',
    )
    .addOption(
      new Option(
        '--kubeconfig <path>',
        'kubeconfig files of the cluster, of which the current context is used',
      )
        .env('KUBECONFIG')
        .default('', 'none'),
    )
    .option(
      '--cluster <file>',
      'state of a cluster, as the mothership shows it (JSON), in place of version, profile and components; - for stdin',
    )
    .option(
      '--components <component>',
      'a component: its name, or {name,namespace,url,version}; may be repeated',
      append,
    )
    .option(
      '--components-file <file>',
      'file with prerequisites and components; default: installation/resources/components.yaml of the version',
    )
    .option(
      '--value <assignment>',
      'values of charts as helm --set takes them; the first part of a name is a component, or global; may be repeated',
      append,
    )
    .option('--version <version>', 'version of Kyma; local: the workspace itself', 'main')
    .option('--profile <profile>', 'evaluation or production', 'evaluation')
    .option('-d, --delete', 'delete the components in reverse order', false)
    .option(
      '--workspace <path>',
      'folder of charts; a chart that is not there is fetched into it',
      '.workspace',
    )
    .option(
      '--default-capabilities',
      'render charts as helm template does without a cluster, whatever versions the cluster serves',
      false,
    )
    .option(
      '--allow-private-endpoints',
      'accept kubeconfigs and charts with loopback and link-local addresses (tests)',
      false,
    )
    .option('-v, --verbose', 'log details', false)
    .addHelpText(
      'after',
      `\nExit codes: ${localExitCodes.done} everything is ready, or deleted; ${localExitCodes.failed} a component failed; ${localExitCodes.usage} the command line is invalid`,
    )
    .action(async (flags: LocalFlags) => {
      const { runLocal } = await import('./run-local.ts');
      host.exitCode = await runLocal(flags, host);
    });
}
