import { jsonEqual } from '../../../base/json/json-equal.ts';
import { type Informers, type KubeObject, keyOf, keyString } from '../../../kube/index.ts';
import {
  createObjectIndex,
  indexed,
  mapped,
  type ObjectIndex,
  ownedBy,
  type ReconciledKind,
  type Source,
} from '../../../runtime/index.ts';
import { type CredentialUse, credentialSources } from '../credentials/credential-sources.ts';
import { type ServiceKindOptions, serviceKind } from '../operations/service-kind.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { isReady, readyOf } from '../status/conditions.ts';
import type { BindingMemory } from './binding-run.ts';
import { credentialUserOf, instanceKeyOf, instanceOf } from './bound-instance.ts';
import { secretsOfBindings } from './bound-secret.ts';
import { createBindingReconciler } from './reconciler.ts';
import { type ServiceBinding, serviceBindings } from './resource.ts';
import { originKeysOf } from './rotation/expire.ts';

/** ServiceBindings, with their Secrets. */
export function serviceBindingKind(
  options: ServiceKindOptions,
): ReconciledKind<ServiceBinding, BindingMemory> {
  return {
    ...serviceKind<ServiceBinding>(options),
    type: serviceBindings,
    needs: [serviceBindings, serviceInstances],
    sources: (informers) => [
      ...credentialSources(informers, () => credentialUses(informers), options.credentials),
      ofInstances(informers),
      ofOrigins(informers),
      ownedBy(secretsOfBindings(informers), serviceBindings),
    ],
    reconcile: createBindingReconciler(options),
  };
}

const credentialUses = (informers: Informers): CredentialUse[] =>
  informers
    .of(serviceBindings)
    .list()
    .map((binding) => ({
      request: keyString(keyOf(binding)),
      instance: credentialUserOf(binding, instanceOf(binding, informers)),
    }));

/** Requests the bindings of an instance when it changes in a way that matters to them. */
function ofInstances(informers: Informers): Source {
  const index = createObjectIndex(informers.of(serviceBindings), (binding) => [instanceKeyOf(binding)]);
  const instances = informers.of(serviceInstances);
  const predicate = (old: ServiceInstance, instance: ServiceInstance) =>
    !jsonEqual(relevant(old), relevant(instance));
  return indexed(index, mapped(instances, requestsOf(index), { predicate }));
}

/** Requests the bindings that another one has replaced when that one gets or loses its credentials. */
function ofOrigins(informers: Informers): Source {
  const bindings = informers.of(serviceBindings);
  const index = createObjectIndex(bindings, originKeysOf);
  const predicate = (old: ServiceBinding, binding: ServiceBinding) => isReady(old) !== isReady(binding);
  return indexed(index, mapped(bindings, requestsOf(index), { predicate }));
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
  readyOf(instance)?.reason,
];
