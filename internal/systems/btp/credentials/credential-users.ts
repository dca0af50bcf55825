/** With whose credentials objects are reconciled: an instance with its own, a binding with those of its instance. */

import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import {
  type ServiceInstance,
  serviceInstances,
} from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import {
  createObjectIndex,
  indexed,
  mapped,
  type ObjectIndex,
  type ReconcilerContext,
  type Source,
} from '../../../framework/controller/index.ts';
import {
  type Informers,
  isNotFound,
  isPartial,
  type KubeObject,
  keyOf,
  keyString,
  secrets,
} from '../../../framework/kube/index.ts';
import { bindingsOf, instancesOf, ownMarks } from '../caches.ts';
import {
  type CredentialSettings,
  type CredentialUser,
  certificateName,
  credentialsName,
  groupOf,
  isAmong,
  namespaceGroup,
  type SecretUsers,
  usersOf,
} from './secret-names.ts';

/** The instance that a binding refers to. */
export const instanceKey = ({ metadata, spec }: ServiceBinding) => ({
  namespace: spec.serviceInstanceNamespace || metadata.namespace,
  name: spec.serviceInstanceName,
});

/** `namespace/name` of the instance. */
export const instanceKeyOf = (binding: ServiceBinding): string => keyString(instanceKey(binding));

/** The instance of the cache, which may be partial; undefined if it does not exist. */
export const instanceOf = (binding: ServiceBinding, informers: Informers): ServiceInstance | undefined =>
  instancesOf(informers).get(instanceKeyOf(binding));

/** The whole instance; undefined if it does not exist. */
export async function readInstance(
  binding: ServiceBinding,
  { client, informers, signal }: Pick<ReconcilerContext<unknown>, 'client' | 'informers' | 'signal'>,
): Promise<ServiceInstance | undefined> {
  const known = instanceOf(binding, informers);
  if (known === undefined || !isPartial(known)) return known;
  try {
    return await client.get(serviceInstances, keyOf(known), { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** With whose credentials the binding is reconciled. Those of the namespace remain when the instance does not exist. */
export const credentialUserOf = (
  binding: ServiceBinding,
  instance: ServiceInstance | undefined,
): CredentialUser => instance ?? { metadata: { namespace: instanceKey(binding).namespace }, spec: {} };

/** Instances by the Secrets that have their credentials. */
export function instanceUsers(informers: Informers): CredentialUsers {
  const cache = instancesOf(informers);
  const byGroup = createObjectIndex(cache, (instance) => [groupOf(instance)]);
  return {
    indexes: [byGroup],
    requestsOf: (users) => {
      const found = users.everyNamespace ? cache.list() : users.groups.flatMap(byGroup.of);
      return found.filter((instance) => isAmong(users, instance)).map(requestOf);
    },
  };
}

/** By the key of the instance. */
export const bindingsByInstance = (informers: Informers): ObjectIndex<ServiceBinding> =>
  createObjectIndex(bindingsOf(informers), (binding) => [instanceKeyOf(binding)]);

/** Bindings by the Secrets that have the credentials of their instances. @param byInstance bindings by the key of their instance */
export function bindingUsers(informers: Informers, byInstance: ObjectIndex<ServiceBinding>): CredentialUsers {
  const cache = bindingsOf(informers);
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

/** The objects of a kind by the Secrets that may have their credentials. */
export interface CredentialUsers {
  /** They follow their caches while the sources run. */
  readonly indexes: readonly Pick<ObjectIndex<KubeObject>, 'start'>[];
  /** The objects that are reconciled with the credentials of these users. */
  requestsOf(users: SecretUsers): Iterable<string>;
}

/**
 * Sources that request a reconcile of each object whose credentials may have changed. They watch metadata only, and only
 * Secrets that can have credentials.
 */
export function credentialSources(
  informers: Pick<Informers, 'metadataOf'>,
  { indexes, requestsOf }: CredentialUsers,
  settings: CredentialSettings,
): Source[] {
  const sources = credentialSelections(settings).map((selection) =>
    mapped(informers.metadataOf(secrets, { selection, transform: ownMarks }), ({ metadata }) => [
      ...requestsOf(usersOf(metadata, settings)),
    ]),
  );
  const [first, ...others] = sources;
  if (first === undefined) return [];
  // Sources start in their order: the indexes are current when the first one reads them.
  return [indexed(indexes, first), ...others];
}

/**
 * The selections of all Secrets that can have credentials. The management namespace has names of any form, other namespaces
 * only two.
 */
export function credentialSelections({
  releaseNamespace,
  managementNamespace,
  namespaceSecrets,
}: CredentialSettings) {
  const named = [credentialsName, certificateName].map((name) => ({
    fieldSelector: `metadata.name=${name}`,
  }));
  const management = { namespace: managementNamespace };
  if (namespaceSecrets) return [management, ...named];
  if (releaseNamespace === managementNamespace) return [management];
  return [management, ...named.map((selection) => ({ ...selection, namespace: releaseNamespace }))];
}
