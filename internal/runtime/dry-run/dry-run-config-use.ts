import { createListedCache } from '../../kube/cache/listed-cache.ts';
import { type ConfigUse, type ConfigUseOptions, createConfigUse } from '../providerconfig/config-use.ts';

export type DryRunConfigUseOptions = Pick<
  ConfigUseOptions,
  'client' | 'clock' | 'kinds' | 'type' | 'readsConfig'
>;

/**
 * The provider configuration's part in a rehearsal: whatever must be there is looked for, and nobody is put on record
 * as a user.
 */
export function dryRunConfigUse(options: DryRunConfigUseOptions): ConfigUse {
  return createConfigUse({
    ...options,
    usages: { record: async () => undefined, release: async () => undefined },
    usageCache: createListedCache([]),
    configCache: () => undefined,
  });
}
