/** What the resources of a cluster contain about mappings: those that they own, and locations of credentials. */

import { listAll } from '../../../framework/kube/cache/cache.ts';
import { isNotFound, type KubeClient, type ResourceType } from '../../../framework/kube/index.ts';

import type { Managed } from '../../../framework/managed/index.ts';
import { adminCredentialsRef } from '../instancemapping/admin-credentials.ts';
import { type InstanceMapping, instanceMappingTypes } from '../instancemapping/resource.ts';
import { rawMappingKind } from '../instancemapping/status.ts';
import { clusterRefOf, namedInputs } from '../kymainstancemapping/inputs/input-refs.ts';
import { type KymaInstanceMapping, kymaInstanceMappingTypes } from '../kymainstancemapping/resource.ts';
import { kymaMappingKind } from '../kymainstancemapping/status.ts';
import type { MappingIdentity } from '../mapping/identity/mapping-identity.ts';
import type { MappingKind } from '../mapping/mapping-kind.ts';
import type { CredentialsLocation } from './credentials-location.ts';

/** From one resource. */
interface Known {
  readonly identities: readonly MappingIdentity[];
  readonly location: CredentialsLocation;
}

export interface KnownMappings {
  /** Whether a resource has this mapping, whatever its management policies are. */
  isOwned(identity: Omit<MappingIdentity, 'platform'> & { readonly platform: string }): boolean;
  /** The locations of the resources' credentials, each once. */
  readonly locations: readonly CredentialsLocation[];
  /** Instances of the resources whose credentials are at this location. */
  instancesOf(location: CredentialsLocation): readonly string[];
}

/** Reads the resources of all kinds that are installed. */
export async function knownMappings(client: KubeClient, signal: AbortSignal): Promise<KnownMappings> {
  const read = async <R extends Managed>(type: ResourceType<R>, knownOf: (resource: R) => Known) => {
    try {
      return (await listAll<R>(client, type, { signal })).map(knownOf);
    } catch (error) {
      if (isNotFound(error)) return [];
      throw error;
    }
  };
  const known = (
    await Promise.all([
      ...Object.values(kymaInstanceMappingTypes).map((type) => read(type, knownOfKyma)),
      ...Object.values(instanceMappingTypes).map((type) => read(type, knownOfRaw)),
    ])
  ).flat();
  const owned = new Set(known.flatMap(({ identities }) => identities.map(keyOf)));
  const locations = new Map(known.map(({ location }) => [locationKey(location), location]));
  return {
    isOwned: (identity) => owned.has(keyOf(identity)),
    locations: [...locations.values()],
    instancesOf: (location) => [
      ...new Set(
        known
          .filter((each) => locationKey(each.location) === locationKey(location))
          .flatMap(({ identities }) => identities.map(({ serviceInstanceID }) => serviceInstanceID)),
      ),
    ],
  };
}

const knownOfKyma = (resource: KymaInstanceMapping): Known => {
  const { adminBindingRef, clusterIdConfigMapRef } = namedInputs(resource);
  const cluster = clusterRefOf(resource);
  return {
    identities: identitiesOf(kymaMappingKind, resource),
    location: {
      form: 'binding',
      binding: adminBindingRef,
      ...(cluster === undefined ? {} : { cluster }),
      ...(clusterIdConfigMapRef === undefined ? {} : { clusterIdConfigMap: clusterIdConfigMapRef }),
    },
  };
};

const knownOfRaw = (resource: InstanceMapping): Known => ({
  identities: identitiesOf(rawMappingKind, resource),
  location: { form: 'secret', secret: adminCredentialsRef(resource) },
});

/** The identity in the status, and that of the external name, which an import has before it is observed. */
function identitiesOf<R extends Managed>(kind: MappingKind<R>, resource: R): MappingIdentity[] {
  const { names, known, externalName, metadataName } = kind.recordsOf(resource);
  const named =
    externalName === undefined || externalName === metadataName ? undefined : names.parse(externalName);
  return [known, named].filter((identity) => identity !== undefined);
}

type Key = Omit<MappingIdentity, 'platform'> & { readonly platform: string };

const keyOf = ({ serviceInstanceID, platform, primaryID, secondaryID }: Key): string =>
  JSON.stringify([serviceInstanceID, platform, primaryID, secondaryID ?? null]);

const locationKey = (location: CredentialsLocation): string =>
  location.form === 'secret'
    ? JSON.stringify(location.secret)
    : JSON.stringify([location.cluster ?? null, location.binding.namespace, location.binding.name]);
