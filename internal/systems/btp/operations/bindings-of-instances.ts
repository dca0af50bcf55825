import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import { hasFinalizer, type ObjectIndex } from '../../../framework/controller/index.ts';
import { wasDeleted } from '../../../framework/kube/index.ts';
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
