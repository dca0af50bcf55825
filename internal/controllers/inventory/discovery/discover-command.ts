import { outputOption } from '../../../console/format.ts';
import type { ModuleCommand } from '../../module/module.ts';
import type { InventoryFlags } from '../connections/flags.ts';
import type { DiscoverFlags } from './run-discover.ts';

/** The command `discover`. */
export const discoverCommand: ModuleCommand<InventoryFlags> = {
  name: 'discover',
  usageExitCode: 1,
  define: (discover, context) =>
    discover
      .summary('find mappings in HANA Cloud that no resource owns, and print manifests for them')
      .description(
        'Finds mappings in HANA Cloud that no resource owns. With -o yaml or json it prints manifests that import them: with their external names, and only observing unless told otherwise, so that applying them changes nothing. With -n they are namespaced. Credentials are read where the resources of the cluster have theirs, or where a flag says, and are never printed.',
      )
      .option(
        '--admin-binding <namespace/name>',
        'ServiceBinding with the credentials; its ServiceInstances are looked at as well',
      )
      .option(
        '--connection-secret <namespace/name[:key]>',
        'kubeconfig Secret of the cluster that has the ServiceBinding; default: the management cluster',
      )
      .option(
        '--cluster-id-config-map <namespace/name>',
        "ConfigMap with that cluster's ID; default: the operator's",
      )
      .option(
        '--credentials-secret <namespace/name:key>',
        'Secret with the credentials under one key, also for InstanceMappings that are printed',
      )
      .option('--instance <id>', 'ask about this instance as well; may be repeated', collect)
      .option('--provider-config <name>', 'provider configuration that the manifests refer to; it must exist')
      .option(
        '--management-policies <list>',
        'policies of the manifests, separated by commas',
        (text) => text.split(',').map((each) => each.trim()),
        ['Observe'],
      )
      .addOption(outputOption())
      .addHelpText('after', '\nExit codes: 0 everything was asked, 1 something could not be')
      .action(async (flags: DiscoverFlags) => {
        const { runDiscover } = await import('./run-discover.ts');
        context.host.exitCode = await runDiscover(flags, discover, context);
      }),
};

const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];
