import { providerConfigs } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfig.gen.ts';
import { providerConfigUsages } from '../../../apis/hana.sap.crossplane.io/v1alpha1/providerconfigusage.gen.ts';
import type { ConfigKinds } from '../../runtime/providerconfig/provider-config.ts';

/**
 * What the provider's cluster-scoped resources refer to. It holds SQL credentials, which mappings do not need; they
 * count as users all the same.
 */
export const hanaConfigKinds: ConfigKinds = {
  generation: 'legacy',
  config: providerConfigs,
  usage: providerConfigUsages,
};
