import { outputOption } from '../../../framework/module/console/shown.ts';
import type { ModuleCommand } from '../../../framework/module/module.ts';
import type { InventoryFlags } from '../flags.ts';
import type { DiscoverFlags } from './run-discover.ts';

/** The command `discover`. */
export const discoverCommand: ModuleCommand<InventoryFlags> = {
  name: 'discover',
  usageExitCode: 1,
  define: (discover, context) => {
    discover
      .summary('find mappings in HANA Cloud that no resource owns, and print manifests for them')
      .description(
        'Finds mappings in HANA Cloud that no resource owns. With -o yaml or json it prints manifests that import them, with external names and, by default, the policy Observe, so that applying them changes nothing. With -n they are namespaced. Credentials are those of the resources in the cluster, or of a flag, and are never printed.',
      )
      .option(
        '--admin-binding <namespace/name>',
        'ServiceBinding with the credentials; its ServiceInstances are included',
      )
      .option(
        '--connection-secret <namespace/name[:key]>',
        'kubeconfig Secret of the cluster that has the ServiceBinding; default: the management cluster',
      )
      .option(
        '--cluster-id-config-map <namespace/name>',
        "ConfigMap with the ID of that cluster; default: the operator's ConfigMap",
      )
      .option(
        '--credentials-secret <namespace/name:key>',
        'Secret with the credentials under one key, also for InstanceMappings that are printed',
      )
      .option('--instance <id>', 'include this instance; may be repeated', collect)
      .option('--provider-config <name>', 'provider configuration for the manifests; it must exist')
      .option(
        '--management-policies <list>',
        'policies of the manifests, separated by commas',
        (text) => text.split(',').map((each) => each.trim()),
        ['Observe'],
      )
      .addOption(outputOption());
    context
      .addConnectionFlags(discover, { externalApis: true })
      .addHelpText('after', '\nExit codes: 0 all requests succeeded, 1 a request failed')
      .action(async (flags: DiscoverFlags) => {
        const { runDiscover } = await import('./run-discover.ts');
        context.host.exitCode = await runDiscover(flags, discover, context);
      });
  },
};

const collect = (value: string, previous: readonly string[] = []): string[] => [...previous, value];
