import { dirname } from 'node:path/posix';
import type { ProviderConfigKinds } from '../source/provider-configs.ts';
import { kindTypes, typesModule } from './kind-types.ts';

/** `apis/<group>/<version>/providerconfigs.gen.ts` */
export function providerConfigsPath({ config: { stored } }: ProviderConfigKinds): string {
  return `${dirname(stored.file)}/${stored.version}/providerconfigs.gen.ts`;
}

/** The types of configurations and usages, and the value that registers them. */
export function providerConfigsModule(objectMeta: string, { config, usage }: ProviderConfigKinds): string {
  const parts = [config, usage].map(({ stored }) => kindTypes(stored, stored.forms));
  return typesModule(objectMeta, [...parts, configKinds]);
}

const configKinds = `
/** The provider configurations of cluster-scoped and of namespaced resources, as \`addConfigs\` takes them. */
export const configKinds: {
    readonly cluster: {
        readonly scope: "Cluster";
        readonly config: typeof providerConfigs;
        readonly usage: typeof providerConfigUsages;
    };
    readonly namespaced: {
        readonly scope: "Namespaced";
        readonly config: typeof namespacedProviderConfigs;
        readonly clusterConfig: typeof clusterProviderConfigs;
        readonly usage: typeof namespacedProviderConfigUsages;
    };
} = {
    cluster: { scope: "Cluster", config: providerConfigs, usage: providerConfigUsages },
    namespaced: {
        scope: "Namespaced",
        config: namespacedProviderConfigs,
        clusterConfig: clusterProviderConfigs,
        usage: namespacedProviderConfigUsages,
    },
};
`;
