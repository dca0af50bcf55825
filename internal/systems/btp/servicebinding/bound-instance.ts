/** The instance that a binding refers to. */
import type { KubeObject } from '../../../framework/kube/index.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
import { instanceKey } from '../credentials/credential-users.ts';
import type { ServiceInstance } from '../serviceinstance/resource.ts';
import { isReady, readyOf } from '../status/conditions.ts';
import { reasons } from '../status/reasons.ts';
import { deletedInstanceText, missingInstanceText, unreadyInstanceText } from './messages.ts';
import type { ServiceBinding } from './resource.ts';

/** Annotation of an instance: `false` refuses bindings of other namespaces. */
export const allowAnnotation = 'services.cloud.sap.com/allowCrossNamespaceBinding';
/** Annotation of an instance: the other namespaces that may have bindings, separated by commas; absent: all. */
export const namespacesAnnotation = 'services.cloud.sap.com/allowedNamespacesForBinding';

/** Whether Service Manager does not have the instance any more. */
export const isMissingInServiceManager = (instance: ServiceInstance): boolean =>
  readyOf(instance)?.reason === reasons.notFound;

/** An instance that refuses the binding is as good as missing: others must not learn that it exists. */
export function missingInstance(
  binding: ServiceBinding,
  instance: ServiceInstance | undefined,
): string | undefined {
  if (instance !== undefined && admits(instance, binding.metadata.namespace)) return undefined;
  const { name, namespace } = instanceKey(binding);
  return missingInstanceText(name, namespace);
}

/** Why a binding cannot use the instance at present; undefined: it can. */
export function unusableInstance(instance: ServiceInstance): string | undefined {
  if (wasDeleted(instance)) return deletedInstanceText;
  return isReady(instance) && instance.status?.instanceID ? undefined : unreadyInstanceText;
}

function admits({ metadata }: KubeObject, namespace: string): boolean {
  if (metadata.namespace === namespace) return true;
  const { [allowAnnotation]: allow, [namespacesAnnotation]: allowed } = metadata.annotations ?? {};
  if (allow?.trim().toLowerCase() === 'false') return false;
  return allowed === undefined || allowed.split(',').some((name) => name.trim() === namespace);
}
