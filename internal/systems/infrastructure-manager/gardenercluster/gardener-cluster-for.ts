import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { labels as brokerLabels } from '../labels.ts';
import { labelManagedBy, labelShootName, MANAGED_BY, runtimeRecord } from './metadata.ts';

/** Labels that are copied from the Runtime. */
const COPIED = [
  brokerLabels.instanceId,
  brokerLabels.runtimeId,
  brokerLabels.brokerPlanId,
  brokerLabels.brokerPlanName,
  brokerLabels.globalAccountId,
  brokerLabels.subaccountId,
  brokerLabels.kymaName,
];

/** The GardenerCluster of a Runtime. Afterwards only its labels change with those of the Runtime, and its owner by a restore. */
export function gardenerClusterFor(runtime: Runtime, runtimeId: string, shoot: Shoot): GardenerCluster {
  const { labels = {}, namespace, name: runtimeName, uid } = runtime.metadata;
  const { name = '', platformRegion = '', region = '' } = runtime.spec?.shoot ?? {};
  const copied = COPIED.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]]]));
  const { domain } = shoot.spec?.dns ?? {};
  return {
    apiVersion: gardenerClusters.apiVersion,
    kind: gardenerClusters.kind,
    metadata: {
      name: runtimeId,
      namespace,
      labels: {
        ...Object.fromEntries(copied),
        'kyma-project.io/platform-region': platformRegion,
        [brokerLabels.region]: region,
        [labelShootName]: name,
        [labelManagedBy]: MANAGED_BY,
        'operator.kyma-project.io/internal': 'true',
      },
      annotations: {
        ...runtimeRecord(
          { kind: runtime.kind, namespace, name: runtimeName, uid },
          { namespace, name: runtimeId },
        ),
        ...(domain === undefined ? {} : { 'skr-domain': domain }),
      },
    },
    spec: {
      shoot: { name },
      kubeconfig: { secret: { name: `kubeconfig-${runtimeId}`, namespace, key: 'config' } },
    },
  };
}
