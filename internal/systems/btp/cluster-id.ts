import { type Deps, messageOf } from '../../framework/base/index.ts';
import { isAlreadyExists, type KubeClient, secrets } from '../../framework/kube/index.ts';

import { type Runnable, untilAborted } from '../../framework/process/index.ts';
import type { BtpSettings } from './settings/btp-settings.ts';

/** The Secret with the cluster ID of the first start, which later starts get as INITIAL_CLUSTER_ID. */
export const clusterIDName = 'sap-btp-operator-clusterid';

export interface ClusterIDOptions extends Pick<Deps, 'log'> {
  readonly client: KubeClient;
  readonly settings: Pick<BtpSettings, 'clusterID' | 'initialClusterID' | 'releaseNamespace'>;
}

/** Records the cluster ID at the first start. An existing Secret is not changed. */
export function clusterIDRecorder({ client, settings, log }: ClusterIDOptions): Runnable {
  const { clusterID, initialClusterID, releaseNamespace: namespace } = settings;
  return {
    name: 'record of the cluster ID',
    needsLeadership: true,
    start: async (signal) => {
      if (initialClusterID === '') {
        try {
          await client.create(secrets, secretWith(namespace, clusterID), { signal });
        } catch (error) {
          if (!isAlreadyExists(error) && !signal.aborted) {
            log.error('cannot record the cluster ID', { error: messageOf(error) });
          }
        }
      }
      await untilAborted(signal);
    },
  };
}

const secretWith = (namespace: string, clusterID: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace,
    name: clusterIDName,
    labels: {
      'services.cloud.sap.com/cluster-secret': 'true',
      'services.cloud.sap.com/managed-by-sap-btp-operator': 'true',
    },
  },
  data: { INITIAL_CLUSTER_ID: Buffer.from(clusterID).toString('base64') },
});
