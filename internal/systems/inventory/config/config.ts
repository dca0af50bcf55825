import type { LoadedModule } from '../../../framework/module/module.ts';
import { hanaConfigKinds } from './provider-configs.ts';

const configs = [hanaConfigKinds.cluster, hanaConfigKinds.namespaced];

export const config: LoadedModule = {
  configs,
  kinds: [],
  rights: () => [],
  open: () => ({
    kinds: [],
    register: (provider) => {
      for (const kinds of configs) provider.addConfigs(kinds);
    },
    close: async () => undefined,
  }),
};
