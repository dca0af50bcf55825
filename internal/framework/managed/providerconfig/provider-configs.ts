/**
 * Provider configurations hold the address and credentials of an external API. A ProviderConfigUsage records that a
 * resource uses a configuration. A configuration with users cannot be deleted, because they need it to delete
 * external resources.
 *
 * - model/used-config.ts finds the configuration of a resource, usage/usage.ts builds usages
 * - config-use.ts records the use when a resource connects and ends it when the resource is deleted; usages.ts writes
 *   the usages, terminating-usages.ts finds those that were not released
 * - config-reconciler.ts counts users and keeps the configuration while there are any
 * - credentials.ts reads the credentials of a configuration
 *
 * Usages and configurations are cached, so a settled resource needs no request for them.
 */
import type { Deps } from '../../base/deps.ts';
import type { ReconciledKind } from '../../controller/object-controller.ts';
import type { Informers } from '../../kube/cache/informers.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { groupResource, type ResourceType } from '../../kube/object/resource-type.ts';
import { configKind } from './config-kind.ts';
import { type ConfigUse, createConfigUse } from './config-use.ts';
import { type ConfigKinds, configTypes, type ProviderConfig } from './model/provider-config.ts';
import { slimUsage } from './usage/usage.ts';
import { createUsages } from './usage/usages.ts';

export interface ProviderConfigsOptions extends Pick<Deps, 'clock'> {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly kinds: ConfigKinds;
}

/** The provider configurations of managed resources of one scope. */
export interface ProviderConfigs {
  /**
   * One for each type of configurations. It starts when all types are served, and runs while its own type is: so, in
   * whichever order CRDs are deleted, the remaining configurations can be deleted.
   */
  readonly kinds: readonly ReconciledKind<ProviderConfig>[];
  /**
   * The use of configurations by a kind of managed resources.
   *
   * @param options.readsConfig whether its Connect reads the configuration
   */
  useOf(type: ResourceType, options: { readonly readsConfig: boolean }): ConfigUse;
}

export function createProviderConfigs(options: ProviderConfigsOptions): ProviderConfigs {
  const { client, informers, kinds, clock } = options;
  const usageCache = informers.of(kinds.usage, { transform: slimUsage });
  const usages = createUsages({ client, type: kinds.usage, cache: usageCache });
  const configs = configTypes(kinds).map((type) => ({
    type,
    cache: informers.of(type),
  }));
  const configCache = (wanted: ResourceType) =>
    configs.find(({ type }) => groupResource(type) === groupResource(wanted))?.cache;
  const types = [...configTypes(kinds), kinds.usage];
  const users: ResourceType[] = [];
  return {
    kinds: configs.map(({ type }) => ({
      ...configKind({ type, kinds, usageCache, usages, clock, userTypes: () => users }),
      needs: types,
      keeps: [type],
    })),
    useOf: (type, { readsConfig }) => {
      users.push(type);
      return createConfigUse({ client, clock, kinds, type, usages, usageCache, configCache, readsConfig });
    },
  };
}
