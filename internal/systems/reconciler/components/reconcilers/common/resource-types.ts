import type { KubeObject, ResourceType } from '../../../../../framework/kube/index.ts';

/** A kind without a type of its own: fields are read with `valueAt`. */
function namespaced(group: string, version: string, kind: string, plural: string): ResourceType<KubeObject> {
  return { group, version, kind, plural, namespaced: true };
}

export const deployments = namespaced('apps', 'v1', 'Deployment', 'deployments');
export const statefulSets = namespaced('apps', 'v1', 'StatefulSet', 'statefulsets');
export const daemonSets = namespaced('apps', 'v1', 'DaemonSet', 'daemonsets');
export const pods = namespaced('', 'v1', 'Pod', 'pods');
export const services = namespaced('', 'v1', 'Service', 'services');
export const serviceAccounts = namespaced('', 'v1', 'ServiceAccount', 'serviceaccounts');
export const volumeClaims = namespaced('', 'v1', 'PersistentVolumeClaim', 'persistentvolumeclaims');
