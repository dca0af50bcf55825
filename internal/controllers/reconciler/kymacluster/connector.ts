import type { KymaCluster } from '../../../../apis/reconciler.kyma-project.io/v1alpha1/kymacluster.gen.ts';
import { type Connector, usedConfigOf } from '../../../managed/index.ts';
import type { ModuleContext } from '../../module/module.ts';
import { mothershipConfigKinds } from '../provider-configs.ts';
import { type AccessOptions, openMothership } from './access.ts';
import { createExternalClient } from './external-client.ts';
import { readKubeconfig } from './kubeconfig.ts';

export interface ConnectorOptions extends Omit<AccessOptions, 'signal'>, Pick<ModuleContext, 'cluster'> {
  readonly scope: 'cluster' | 'namespaced';
}

export function createConnector(options: ConnectorOptions): Connector<KymaCluster> {
  const { client, scope } = options;
  return {
    connect: async (resource, { signal }) => {
      const { type, key } = usedConfigOf(resource, mothershipConfigKinds[scope]);
      const config = await client.get(type, key, { signal });
      const mothership = await openMothership(config, { ...options, signal });
      return createExternalClient(mothership, () => readKubeconfig(options, resource, signal));
    },
  };
}
