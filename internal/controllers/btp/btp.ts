import { createInformers } from '../../kube/cache/informers.ts';
import { leases } from '../../kube/object/resource-type.ts';
import type { LoadedModule, ModuleContext, OpenModule } from '../module/module.ts';
import { clusterIDRecorder } from './cluster-id.ts';
import { createOperatorLease, operatorLeaseName } from './operator-lease/operator-lease.ts';
import { btpRights } from './rights.ts';
import { btpSettings } from './settings/btp-settings.ts';
import type { BtpFlags } from './settings/flags.ts';
import { serviceBindingWebhooks } from './webhooks/service-binding-webhooks.ts';
import { serviceInstanceWebhooks } from './webhooks/service-instance-webhooks.ts';

export const btp: LoadedModule<BtpFlags> = {
  configs: [],
  kinds: [],
  rights: btpRights,
  open: openBtp,
};

function openBtp(context: ModuleContext<BtpFlags>): OpenModule {
  const { deps, client, env, flags, version } = context;
  const settings = btpSettings(flags, env, version);
  return {
    kinds: [],
    register: (provider) => {
      const informers = createInformers({ ...deps, client });
      const lease = createOperatorLease({
        ...deps,
        client,
        releaseNamespace: settings.releaseNamespace,
        leases: informers.of(leases, { selection: { fieldSelector: `metadata.name=${operatorLeaseName}` } }),
      });
      for (const runnable of lease.runnables) provider.add(runnable);
      provider.add(clusterIDRecorder({ ...deps, client, settings }));
      if (settings.webhooks) {
        for (const webhook of [...serviceInstanceWebhooks, ...serviceBindingWebhooks])
          provider.addWebhook(webhook);
      }
    },
    close: async () => undefined,
  };
}
