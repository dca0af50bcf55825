import { clusterProviderConfigs } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/clusterproviderconfig.gen.ts';
import { providerConfigs as namespacedProviderConfigs } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages as namespacedProviderConfigUsages } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import { providerConfigs } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import type { ConfigKinds } from '../../managed/index.ts';

/**
 * The provider configurations of cluster-scoped and of namespaced resources. They have SQL
 * credentials, which mappings do not read.
 */
export const hanaConfigKinds = {
  cluster: { scope: 'Cluster', config: providerConfigs, usage: providerConfigUsages },
  namespaced: {
    scope: 'Namespaced',
    config: namespacedProviderConfigs,
    clusterConfig: clusterProviderConfigs,
    usage: namespacedProviderConfigUsages,
  },
} as const satisfies Record<string, ConfigKinds>;
