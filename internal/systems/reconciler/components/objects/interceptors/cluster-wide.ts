import type { Interceptor } from './interceptor.ts';

const KINDS: ReadonlySet<string> = new Set([
  'rbac.authorization.k8s.io/v1 ClusterRole',
  'rbac.authorization.k8s.io/v1 ClusterRoleBinding',
  'admissionregistration.k8s.io/v1 MutatingWebhookConfiguration',
  'admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration',
  'policy/v1beta1 PodSecurityPolicy',
]);

/** Charts give objects of these kinds a namespace, which API servers refuse. */
export const clearNamespace: Interceptor = ({ object }) => {
  if (KINDS.has(`${object.apiVersion} ${object.kind}`)) delete object.metadata.namespace;
};
