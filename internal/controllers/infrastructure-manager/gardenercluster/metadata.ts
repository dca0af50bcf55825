/** Labels and annotations of GardenerClusters and their Secrets, by the names of the Kyma infrastructure manager. */
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { KubeObject, ObjectKey } from '../../../kube/index.ts';

export const labelShootName = 'kyma-project.io/shoot-name';
export const labelManagedBy = 'operator.kyma-project.io/managed-by';
export const MANAGED_BY = 'infrastructure-manager';
/** Of a Secret: the name of its GardenerCluster. */
export const labelClusterName = 'operator.kyma-project.io/cluster-name';

/** Of a Secret: when its kubeconfig was stored, as RFC 3339. */
export const annotationLastSync = 'operator.kyma-project.io/last-sync';
/** Of a GardenerCluster: its kubeconfig is replaced now, whatever the value. */
export const annotationForceRotation = 'operator.kyma-project.io/force-kubeconfig-rotation';

export const isRotationForced = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.[annotationForceRotation] !== undefined;

export const secretKeyOf = ({ spec }: GardenerCluster): ObjectKey => {
  const { namespace, name } = spec.kubeconfig.secret;
  return { namespace, name };
};
