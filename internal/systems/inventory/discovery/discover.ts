/**
 * Finds the mappings in HANA Cloud that no resource owns. HANA Cloud lists mappings by instance. Discovery lists those
 * of the instances in resources, in ServiceInstances on the cluster of the credentials, and in flags. It only reads,
 * and its result has no credentials.
 */

import { messageOf } from '../../../framework/base/index.ts';
import { listAll } from '../../../framework/kube/cache/cache.ts';
import { isNotFound, type KubeClient, type ResourceType } from '../../../framework/kube/index.ts';
import type { Managed } from '../../../framework/managed/index.ts';
import type { HanaCloud, InstanceMapping } from '../hana-cloud/client.ts';
import { adminCredentialsRef } from '../instancemapping/admin-credentials.ts';
import {
  type InstanceMapping as InstanceMappingResource,
  instanceMappingTypes,
} from '../instancemapping/resource.ts';
import { rawMappingKind } from '../instancemapping/status.ts';
import { clusterRefOf, namedInputs } from '../kymainstancemapping/inputs/input-refs.ts';
import type { Ref } from '../kymainstancemapping/inputs/inputs.ts';
import type { KymaClusters } from '../kymainstancemapping/inputs/kyma-cluster.ts';
import { type KymaInstanceMapping, kymaInstanceMappingTypes } from '../kymainstancemapping/resource.ts';
import { kymaMappingKind } from '../kymainstancemapping/status.ts';
import type { MappingIdentity } from '../mapping/mapping-identity.ts';
import type { MappingKind } from '../mapping/mapping-kind.ts';
import {
  type CredentialsLocation,
  nameOfLocation,
  type OpenedLocation,
  openLocation,
} from './credentials-location.ts';

/** A mapping that no resource owns. */
export interface FoundMapping {
  readonly serviceInstanceID: string;
  /** As HANA Cloud lists it. */
  readonly mapping: InstanceMapping;
  /** The credentials with which it was listed. */
  readonly location: CredentialsLocation;
  /** The ServiceInstance on the cluster of the credentials, if there is one. */
  readonly serviceInstance?: Ref;
  /** Whether the mapping is of the cluster that has the ServiceInstance. */
  readonly ofOwnCluster: boolean;
}

export interface Discovery {
  /** Sorted by instance and environment. */
  readonly found: readonly FoundMapping[];
  /** Locations whose credentials were used. */
  readonly locations: number;
  /** Instances whose mappings were listed. */
  readonly instances: number;
  /** Failed requests, one line each; the result may be incomplete. */
  readonly problems: readonly string[];
  /** Remarks that do not make the result incomplete, one line each. */
  readonly notes: readonly string[];
}

interface DiscoverOptions {
  readonly client: KubeClient;
  readonly clusters: KymaClusters;
  readonly hanaCloud: HanaCloud;
  /** Default: the locations in all resources. */
  readonly locations?: readonly CredentialsLocation[];
  /** Instances to list in addition, with the credentials of every location. */
  readonly instances?: readonly string[];
  readonly signal: AbortSignal;
  /** Called before each location. */
  readonly onProgress?: (location: string) => void;
}

export async function discover(options: DiscoverOptions): Promise<Discovery> {
  const { client, clusters, hanaCloud, instances: named = [], signal } = options;
  const known = await knownMappings(client, signal);
  const found = new Map<string, FoundMapping>();
  const listed = new Set<string>();
  const problems: string[] = [];
  const notes: string[] = [];
  const locations = options.locations ?? known.locations;
  for (const location of locations) {
    const name = nameOfLocation(location);
    options.onProgress?.(name);
    try {
      const open = await openLocation(location, clusters, signal);
      notes.push(...open.notes);
      const about = known.instancesOf(location);
      const asked = new Set([...named, ...about, ...open.instances.keys()]);
      if (asked.size === 0) problems.push(`${name}: no instance is known that it could be asked about`);
      const answers = await listWith(hanaCloud, open, asked, signal);
      for (const { id, mappings, problem } of answers) {
        if (problem !== undefined) problems.push(`${name}: ${problem}`);
        else if (mappings !== undefined) {
          listed.add(id);
          for (const each of unowned(known, open, id, mappings)) found.set(sortKey(each), each);
        } else if (named.includes(id))
          notes.push(`${name}: instance ${id} has no mappings, or is hidden from it`);
      }
    } catch (error) {
      signal.throwIfAborted();
      problems.push(`${name}: ${messageOf(error)}`);
    }
  }
  const sorted = [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  return {
    found: sorted,
    locations: locations.length,
    instances: listed.size,
    problems,
    notes: [...new Set(notes)],
  };
}

interface Answer {
  readonly id: string;
  /** Absent: HANA Cloud returned 404. */
  readonly mappings?: readonly InstanceMapping[];
  readonly problem?: string;
}

async function listWith(
  hanaCloud: HanaCloud,
  { credentials }: OpenedLocation,
  ids: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Answer[]> {
  const hana = hanaCloud.connect(credentials);
  try {
    return await Promise.all(
      [...ids].map(async (id): Promise<Answer> => {
        try {
          const list = await hana.listMappings(id, { signal });
          return list.state === 'listed' ? { id, mappings: list.mappings } : { id };
        } catch (error) {
          signal.throwIfAborted();
          return { id, problem: messageOf(error) };
        }
      }),
    );
  } finally {
    await hana.close();
  }
}

function unowned(
  known: KnownMappings,
  { location, instances, clusterID }: OpenedLocation,
  serviceInstanceID: string,
  mappings: readonly InstanceMapping[],
): FoundMapping[] {
  const serviceInstance = instances.get(serviceInstanceID);
  return mappings
    .filter((mapping) => !known.isOwned({ serviceInstanceID, ...mapping }))
    .map((mapping) => ({
      serviceInstanceID,
      mapping,
      location,
      ...(serviceInstance === undefined ? {} : { serviceInstance }),
      ofOwnCluster: mapping.platform === 'kubernetes' && mapping.primaryID === clusterID,
    }));
}

const sortKey = ({ serviceInstanceID, mapping }: FoundMapping): string =>
  JSON.stringify([serviceInstanceID, mapping.platform, mapping.primaryID, mapping.secondaryID ?? '']);

/** What a resource of the cluster contains about mappings: those that it owns, and the location of credentials. */
interface Known {
  readonly identities: readonly MappingIdentity[];
  readonly location: CredentialsLocation;
}

interface KnownMappings {
  /** Whether a resource has this mapping, whatever its management policies are. */
  isOwned(identity: Omit<MappingIdentity, 'platform'> & { readonly platform: string }): boolean;
  /** The locations of the resources' credentials, each once. */
  readonly locations: readonly CredentialsLocation[];
  /** Instances of the resources whose credentials are at this location. */
  instancesOf(location: CredentialsLocation): readonly string[];
}

/** Reads the resources of all kinds that are installed. */
async function knownMappings(client: KubeClient, signal: AbortSignal): Promise<KnownMappings> {
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

const knownOfRaw = (resource: InstanceMappingResource): Known => ({
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
