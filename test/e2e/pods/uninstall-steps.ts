import { join } from 'node:path';
import { tool } from '../../environment/tool.ts';
import { type Step, until } from '../e2e-context.ts';
import { podsContext } from './pods-context.ts';
import type { PodsOptions } from './pods-options.ts';

/**
 * Crossplane deletes a provider's CRDs with it, even if their objects have finalizers: resources must be deleted first.
 */
export const uninstallSteps: readonly Step<PodsOptions>[] = [
  {
    title: 'all resources are deleted while the provider is there, and HANA Cloud has no mapping left',
    run: async (options) => {
      const { simulator } = await podsContext(options);
      const kinds = await tool('kubectl', ['get', 'crd', '--output=name']);
      if (kinds.includes('/applications.argoproj.io')) {
        // Or Argo CD would bring back what is deleted.
        await tool('kubectl', ['delete', 'applications.argoproj.io', '--all', '--namespace=argocd']);
      }
      // What kubectl knows of the kinds of a category may be older than the CRDs, for ten minutes.
      const fresh = `--cache-dir=${join(options.directory, 'fresh-discovery')}`;
      await tool('kubectl', ['delete', 'managed', '--all', '--all-namespaces', '--timeout=10m', fresh]);
      await until(async () => {
        const { instances } = (await simulator('/state')) as {
          instances: Record<string, readonly unknown[]>;
        };
        if (Object.values(instances).flat().length > 0) throw new Error('there are mappings left');
      });
    },
  },
  {
    title: 'the provider is deleted, and its CRDs with it',
    run: async () => {
      await tool('kubectl', ['delete', 'provider.pkg.crossplane.io/provider-kyma', '--timeout=10m']);
      await until(async () => {
        const kinds = await tool('kubectl', ['get', 'crd', '--output=name']);
        if (kinds.includes('inventory.hana.')) throw new Error('there are CRDs left');
      });
    },
  },
];
