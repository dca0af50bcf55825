/** With whose credentials objects are reconciled: an instance with its own, a binding with those of its instance. */
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { createObjectIndex, type ObjectIndex } from '../../../controller/index.ts';
import { type Informers, type KubeObject, keyOf, keyString } from '../../../kube/index.ts';
import type { CredentialUsers } from './credential-sources.ts';
import { type CredentialUser, groupOf, isAmong, namespaceGroup } from './secret-names.ts';

/** The instance that a binding refers to. */
export const instanceKey = ({ metadata, spec }: ServiceBinding) => ({
  namespace: spec.serviceInstanceNamespace || metadata.namespace,
  name: spec.serviceInstanceName,
});

/** `namespace/name` of the instance. */
export const instanceKeyOf = (binding: ServiceBinding): string => keyString(instanceKey(binding));

/** The instance of the cache; undefined if it does not exist. */
export const instanceOf = (binding: ServiceBinding, informers: Informers): ServiceInstance | undefined =>
  informers.of(serviceInstances).get(instanceKeyOf(binding));

/** With whose credentials the binding is reconciled. Those of the namespace remain when the instance does not exist. */
export const credentialUserOf = (
  binding: ServiceBinding,
  instance: ServiceInstance | undefined,
): CredentialUser => instance ?? { metadata: { namespace: instanceKey(binding).namespace }, spec: {} };

/** Instances by the Secrets that have their credentials. */
export function instanceUsers(informers: Informers): CredentialUsers {
  const cache = informers.of(serviceInstances);
  const byGroup = createObjectIndex(cache, (instance) => [groupOf(instance)]);
  return {
    indexes: [byGroup],
    requestsOf: (users) => {
      const found = users.everyNamespace ? cache.list() : users.groups.flatMap(byGroup.of);
      return found.filter((instance) => isAmong(users, instance)).map(requestOf);
    },
  };
}

/** Bindings by the Secrets that have the credentials of their instances. @param byInstance bindings by the key of their instance */
export function bindingUsers(informers: Informers, byInstance: ObjectIndex<ServiceBinding>): CredentialUsers {
  const cache = informers.of(serviceBindings);
  const instances = instanceUsers(informers);
  // Of the instance's namespace, since its instance may not exist.
  const byNamespace = createObjectIndex(cache, (binding) => [namespaceGroup(instanceKey(binding).namespace)]);
  return {
    indexes: [...instances.indexes, byNamespace],
    requestsOf: (users) => {
      const found = users.everyNamespace
        ? cache.list()
        : [
            ...users.groups.flatMap(byNamespace.of),
            ...[...instances.requestsOf(users)].flatMap(byInstance.of),
          ];
      const concerned = found.filter((binding) =>
        isAmong(users, credentialUserOf(binding, instanceOf(binding, informers))),
      );
      return new Set(concerned.map(requestOf));
    },
  };
}

const requestOf = (object: KubeObject): string => keyString(keyOf(object));
