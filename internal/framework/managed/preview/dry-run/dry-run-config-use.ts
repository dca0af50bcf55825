import { createListedCache } from '../../../kube/cache/cache.ts';
import { type ConfigUse, type ConfigUseOptions, createConfigUse } from '../../providerconfig/config-use.ts';

export type DryRunConfigUseOptions = Pick<
  ConfigUseOptions,
  'client' | 'clock' | 'kinds' | 'type' | 'readsConfig'
>;

/** The use of provider configurations in a dry run: it checks that the configuration exists and records no use. */
export function dryRunConfigUse(options: DryRunConfigUseOptions): ConfigUse {
  return createConfigUse({
    ...options,
    usages: { record: async () => undefined, release: async () => undefined },
    usageCache: createListedCache([]),
    configCache: () => undefined,
  });
}
