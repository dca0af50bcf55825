/** With whose credentials objects are reconciled: an instance with its own, a binding with those of its instance. */
import {
  type ServiceBinding,
  serviceBindings,
} from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import { type Informers, keyOf, keyString } from '../../../kube/index.ts';
import type { CredentialUse } from './credential-sources.ts';
import type { CredentialUser } from './secret-names.ts';

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

export const instanceUses = (informers: Informers): CredentialUse[] =>
  informers
    .of(serviceInstances)
    .list()
    .map((instance) => ({ request: keyString(keyOf(instance)), instance }));

export const bindingUses = (informers: Informers): CredentialUse[] =>
  informers
    .of(serviceBindings)
    .list()
    .map((binding) => ({
      request: keyString(keyOf(binding)),
      instance: credentialUserOf(binding, instanceOf(binding, informers)),
    }));
