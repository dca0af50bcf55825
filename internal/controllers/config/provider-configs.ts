import { clusterProviderConfigs } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/clusterproviderconfig.gen.ts';
import { providerConfigs as namespacedProviderConfigs } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages as namespacedProviderConfigUsages } from '../../../apis/hana.m.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import { providerConfigs } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import type { ConfigKinds } from '../../runtime/index.ts';

/**
 * The provider configurations of cluster-scoped resources (legacy) and namespaced resources (modern). They have SQL
 * credentials, which mappings do not read.
 */
export const hanaConfigKinds = {
  legacy: { generation: 'legacy', config: providerConfigs, usage: providerConfigUsages },
  modern: {
    generation: 'modern',
    config: namespacedProviderConfigs,
    clusterConfig: clusterProviderConfigs,
    usage: namespacedProviderConfigUsages,
  },
} as const satisfies Record<ConfigKinds['generation'], ConfigKinds>;
