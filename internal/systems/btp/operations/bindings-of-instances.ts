import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { hasFinalizer, type ObjectIndex } from '../../../framework/controller/index.ts';
import { type KubeObject, wasDeleted } from '../../../framework/kube/index.ts';
import { finalizer } from '../metadata.ts';

/** The bindings of this cluster by their instance: the controller of bindings knows them, that of instances reads them. */
export interface BindingsOfInstances extends Pick<ObjectIndex<ServiceBinding>, 'of'> {
  /** From now on bindings are those of the index. */
  use(index: Pick<ObjectIndex<ServiceBinding>, 'of'>): void;
}

/**
 * Whether Service Manager has or may have the binding. The finalizer is stored before it is created, and removed after it is
 * deleted there. Objects of other programs may have an ID without it.
 */
export const mayBeBound = (binding: ServiceBinding): boolean =>
  hasFinalizer(binding, finalizer) || (Boolean(binding.status?.bindingID) && !wasDeleted(binding));

/** Annotation of an instance: `false` refuses bindings of other namespaces. */
export const allowAnnotation = 'services.cloud.sap.com/allowCrossNamespaceBinding';
/** Annotation of an instance: the other namespaces that may have bindings, separated by commas; absent: all. */
export const namespacesAnnotation = 'services.cloud.sap.com/allowedNamespacesForBinding';

/** Whether the instance can have bindings of the namespace. */
export function admitsBindingsOf({ metadata }: KubeObject, namespace: string): boolean {
  if (metadata.namespace === namespace) return true;
  const { [allowAnnotation]: allow, [namespacesAnnotation]: allowed } = metadata.annotations ?? {};
  if (allow?.trim().toLowerCase() === 'false') return false;
  return allowed === undefined || allowed.split(',').some((name) => name.trim() === namespace);
}

/** Without an index there are none: Service Manager decides alone. */
export function bindingsOfInstances(): BindingsOfInstances {
  let used: Pick<ObjectIndex<ServiceBinding>, 'of'> = { of: () => [] };
  return {
    of: (key) => used.of(key),
    use: (index) => {
      used = index;
    },
  };
}
