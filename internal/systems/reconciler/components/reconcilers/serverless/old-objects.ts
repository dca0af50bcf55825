import type { ResourceType } from '../../../../../framework/kube/index.ts';
import { configMaps } from '../../../../../framework/kube/object/resource-type.ts';
import type { Action } from '../../model/actions.ts';
import { KYMA_SYSTEM } from '../common/kyma-system.ts';
import { deleteObject } from '../common/objects.ts';
import { daemonSets, serviceAccounts } from '../common/resource-types.ts';

const SELF_SIGNED = 'serverless-self-signed-cert';
const REGISTRY = 'serverless-docker-registry';

/** What versions with Istio have left. */
const oldObjects: readonly (readonly [type: ResourceType, name: string])[] = [
  [istio('VirtualService'), REGISTRY],
  [istio('DestinationRule'), REGISTRY],
  [configMaps, `${REGISTRY}-cert-patch`],
  [daemonSets, `${REGISTRY}-self-signed-cert`],
  [serviceAccounts, SELF_SIGNED],
  [clusterScoped('ClusterRole'), SELF_SIGNED],
  [clusterScoped('ClusterRoleBinding'), SELF_SIGNED],
];

/** Deletes objects of earlier versions. Those of kinds that the cluster does not serve are gone. */
export const deleteOldObjects: Action = async (context) => {
  for (const [type, name] of oldObjects) {
    await deleteObject(context, type, type.namespaced ? { name, namespace: KYMA_SYSTEM } : { name });
  }
};

function istio(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'networking.istio.io', version: 'v1beta1', kind, plural, namespaced: true };
}

function clusterScoped(kind: string): ResourceType {
  const plural = `${kind.toLowerCase()}s`;
  return { group: 'rbac.authorization.k8s.io', version: 'v1', kind, plural, namespaced: false };
}
