/**
 * Provider configurations say how resources log on to their other side. A resource that uses one is on record as its
 * user by a ProviderConfigUsage, and a configuration with users cannot be deleted, since they could not clean up
 * without it.
 *
 * - used-config.ts finds the configuration that a resource names, usage.ts says what a usage looks like
 * - config-use.ts is a kind's side: it records the use when a resource connects and ends it when the resource goes;
 *   usages.ts writes the records, ending-uses.ts finds those that nobody ended
 * - config-reconciler.ts is the configuration's side: it counts users and holds the configuration while there are any
 * - credentials.ts reads the credentials that a configuration points to
 *
 * Usages and configurations are kept in caches, so that a settled resource costs no request for any of it.
 */
import type { Deps } from '../../base/deps.ts';
import type { Informers } from '../../kube/cache/informers.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { EventRecorder } from '../../kube/events/event-recorder.ts';
import { groupResource, type ResourceType } from '../../kube/object/resource-type.ts';
import type { GatedKind } from '../gate/gated-kind.ts';
import { configControllerName, createConfigController } from './config-controller.ts';
import { type ConfigUse, createConfigUse } from './config-use.ts';
import { type ConfigKinds, configTypes } from './provider-config.ts';
import { slimUsage } from './usage.ts';
import { createUsages } from './usages.ts';

export interface ProviderConfigsOptions extends Deps {
  readonly client: KubeClient;
  readonly informers: Informers;
  readonly kinds: ConfigKinds;
  /** @param controller name that events show as their source */
  readonly recorderFor: (controller: string) => EventRecorder;
}

/** The provider configurations of one generation of managed resources. */
export interface ProviderConfigs {
  /**
   * One for each type of configurations. It needs all types of its generation, and stays while its own is there: so
   * whichever of several CRDs goes first, the configurations of the others can go, too. Caches follow along.
   */
  readonly kinds: readonly GatedKind[];
  /**
   * For a kind of managed resources.
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
  return {
    kinds: configs.map(({ type, cache }) => ({
      name: configControllerName(type),
      needs: types,
      keeps: [type],
      build: () => ({
        controller: createConfigController({
          ...options,
          type,
          cache,
          usageCache,
          usages,
          recorder: options.recorderFor(configControllerName(type)),
        }),
        start: () => {
          const stops = [usageCache.start(), cache.start()];
          return () => {
            for (const stop of stops) stop();
          };
        },
        forget: () => {
          cache.forget();
          // Without effect while another kind of configurations is reconciled.
          usageCache.forget();
        },
      }),
    })),
    useOf: (type, { readsConfig }) =>
      createConfigUse({ client, clock, kinds, type, usages, usageCache, configCache, readsConfig }),
  };
}
