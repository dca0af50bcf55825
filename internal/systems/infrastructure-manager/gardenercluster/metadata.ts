/** Labels and annotations of GardenerClusters and their Secrets, by the names of the Kyma infrastructure manager. */

import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import {
  type GardenerCluster,
  gardenerClusters,
} from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { type KubeObject, keyOf, keyString, type ObjectKey } from '../../../framework/kube/index.ts';
import { type Owner, placedRecord, readPlacedRecord } from '../../../framework/ownership/ownership.ts';
import { labels as brokerLabels } from '../metadata.ts';

export const labelShootName = 'kyma-project.io/shoot-name';
export const labelManagedBy = 'operator.kyma-project.io/managed-by';
export const MANAGED_BY = 'infrastructure-manager';
/** Of a Secret: the name of its GardenerCluster. */
export const labelClusterName = 'operator.kyma-project.io/cluster-name';

/** Of a Secret: its GardenerCluster with the uid, and its own key. Secrets of the Kyma infrastructure manager have none. */
export const annotationCluster = 'operator.kyma-project.io/cluster';
/** Of a Secret: when its kubeconfig was stored, as RFC 3339. */
export const annotationLastSync = 'operator.kyma-project.io/last-sync';
/**
 * Of a GardenerCluster, and of objects in a runtime cluster: the Runtime with its uid, and the key of the object itself. Those of the
 * Kyma infrastructure manager have none.
 */
export const annotationRuntime = 'infrastructuremanager.kyma-project.io/runtime';
/** Of a GardenerCluster: its kubeconfig is replaced now, whatever the value. */
export const annotationForceRotation = 'operator.kyma-project.io/force-kubeconfig-rotation';

export const isRotationForced = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotationForceRotation] !== undefined;

const KIND = 'GardenerCluster';

export const clusterOwner = ({ namespace, name, uid }: KubeObject['metadata']): Owner => ({
  kind: KIND,
  namespace,
  name,
  uid,
});

/**
 * The GardenerCluster of a Secret: that of the annotation, or that of the label, without a uid. The annotation names the Secret too, so
 * that a copy of it has no owner. Undefined: there is no record.
 */
export function recordedCluster(object: KubeObject): Owner | undefined {
  const { namespace, labels = {}, annotations = {} } = object.metadata;
  const { [labelClusterName]: name } = labels;
  const { [annotationCluster]: text } = annotations;
  if (text === undefined) return name === undefined ? undefined : { kind: KIND, namespace, name };
  const recorded = readPlacedRecord(KIND, text, keyString(keyOf(object)));
  return name === undefined || name === recorded.name ? recorded : { kind: KIND, name: text };
}

/** The annotations of a Secret that say whose it is. */
export const clusterRecord = (cluster: GardenerCluster): Record<string, string> => {
  const { metadata } = cluster;
  if (metadata.uid === undefined) return {};
  return {
    [annotationCluster]: placedRecord(clusterOwner(metadata), keyString(secretKeyOf(cluster))),
  };
};

/** The annotation that says of which Runtime an object is. */
export const runtimeRecord = (runtime: Owner, place: ObjectKey): Record<string, string> =>
  runtime.uid === undefined ? {} : { [annotationRuntime]: placedRecord(runtime, keyString(place)) };

/** The Runtime that an object records; undefined: it has no record. On a copy of the object, a Runtime that does not exist. */
export function recordedRuntime(object: KubeObject): Owner | undefined {
  const { [annotationRuntime]: record } = object.metadata.annotations ?? {};
  return record === undefined ? undefined : readPlacedRecord('Runtime', record, keyString(keyOf(object)));
}

export const secretKeyOf = ({ spec }: GardenerCluster): ObjectKey => {
  const { namespace, name } = spec.kubeconfig.secret;
  return { namespace, name };
};

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
