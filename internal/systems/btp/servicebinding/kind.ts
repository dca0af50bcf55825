import { jsonEqual } from '../../../framework/base/index.ts';

import {
  createObjectIndex,
  indexed,
  mapped,
  type ObjectIndex,
  ownedBy,
  type ReconciledKind,
  type Source,
} from '../../../framework/controller/index.ts';
import {
  type Informers,
  isPartial,
  type KubeObject,
  keyOf,
  keyString,
  wasDeleted,
} from '../../../framework/kube/index.ts';
import { bindingsOf, instancesOf } from '../caches.ts';
import {
  bindingsByInstance,
  bindingUsers,
  credentialSources,
  credentialUserOf,
  instanceKeyOf,
  instanceOf,
} from '../credentials/credential-users.ts';
import { type DriftOptions, tracked } from '../drift/tracked-kind.ts';
import { mayBeBound } from '../operations/bindings-of-instances.ts';
import { type ServiceKindOptions, serviceKind } from '../operations/service-reconciler.ts';
import type { ServiceBinding as SmBinding } from '../service-manager/index.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { isReady, readyOf } from '../status/conditions.ts';
import { type BindingMemory, type BindingOptions, bindingIDOf } from './binding-run.ts';
import { isSettled, secretsOfBindings } from './bound-secret.ts';
import { createBindingReconciler } from './reconciler.ts';
import { type ServiceBinding, serviceBindings } from './resource.ts';
import { originKeysOf } from './rotation/expire.ts';
import { infoDigest } from './secret/instance-info.ts';

/** ServiceBindings, with their Secrets. */
export function serviceBindingKind(
  options: ServiceKindOptions & BindingOptions & DriftOptions,
): ReconciledKind<ServiceBinding, BindingMemory> {
  const suspects = new Set<string>();
  const { clusterID } = options.settings;
  return {
    ...serviceKind<ServiceBinding>(options),
    type: serviceBindings,
    needs: [serviceBindings, serviceInstances],
    sources: (informers, cache) => {
      const byInstance = bindingsByInstance(informers);
      options.bindings.use(byInstance);
      return [
        // Sources start in this order: the index is current when the later ones read it.
        indexed([byInstance], ofInstances(informers, byInstance)),
        ...credentialSources(informers, bindingUsers(informers, byInstance), options.credentials),
        ofOrigins(informers),
        toDeletedInstances(informers, byInstance, options),
        ownedBy(secretsOfBindings(informers), serviceBindings),
        tracked<ServiceBinding, SmBinding>(
          {
            cache,
            suspects,
            idOf: bindingIDOf,
            userOf: (binding) => credentialUserOf(binding, instanceOf(binding, informers)),
            list: (client, onPage, callOptions) => client.eachBinding(clusterID, onPage, callOptions),
            // Nothing that a list shows of a binding can be changed in a way that matters to its Secret.
            differs: async () => false,
          },
          options.trackings,
        ),
      ];
    },
    reconcile: createBindingReconciler({ ...options, suspects }),
  };
}

/** Requests the bindings of an instance when it changes in a way that matters to them. */
function ofInstances(informers: Informers, byInstance: ObjectIndex<ServiceBinding>): Source {
  const instances = instancesOf(informers);
  const predicate = (old: ServiceInstance, instance: ServiceInstance) =>
    !jsonEqual(relevant(old), relevant(instance));
  return mapped(instances, requestsOf(byInstance), { predicate });
}

/** Requests the bindings that another one has replaced when that one gets, loses or changes its credentials. */
function ofOrigins(informers: Informers): Source {
  const bindings = bindingsOf(informers);
  const index = createObjectIndex(bindings, originKeysOf);
  const predicate = (old: ServiceBinding, binding: ServiceBinding) =>
    isReady(old) !== isReady(binding) || bindingIDOf(old) !== bindingIDOf(binding);
  return indexed([index], mapped(bindings, requestsOf(index), { predicate }));
}

/**
 * Adds no request of a binding: when the last binding of a deleted instance is gone, or has lost the finalizer, it requests
 * the instance, which waits for that (`waitForBindings`).
 */
function toDeletedInstances(
  informers: Informers,
  byInstance: ObjectIndex<ServiceBinding>,
  { instanceRequests }: Pick<ServiceKindOptions, 'instanceRequests'>,
): Source {
  const request = (binding: ServiceBinding): string[] => {
    const instance = mayBeBound(binding) ? instanceOf(binding, informers) : undefined;
    if (instance === undefined || !wasDeleted(instance)) return [];
    const key = instanceKeyOf(binding);
    if (!byInstance.of(key).some(mayBeBound)) instanceRequests.send(key);
    return [];
  };
  return mapped(bindingsOf(informers), request, {
    predicate: (old, binding) => mayBeBound(old) && !mayBeBound(binding),
  });
}

const requestsOf =
  (index: ObjectIndex<ServiceBinding>) =>
  (object: KubeObject): string[] =>
    index.of(keyString(keyOf(object))).map((binding) => keyString(keyOf(binding)));

const relevant = (instance: ServiceInstance) => [
  instance.metadata.annotations,
  instance.metadata.deletionTimestamp,
  instance.spec.btpAccessCredentialsSecret,
  instance.status?.instanceID,
  instance.status?.ready,
  // Data of the instance in Secrets. A partial instance has none.
  isSettled(instance) && (isPartial(instance) ? instance.metadata.generation : infoDigest(instance)),
  readyOf(instance)?.reason,
];
