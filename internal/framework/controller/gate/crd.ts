import { dropBookkeeping } from '../../kube/cache/transform.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  KubeObject,
} from '../../kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';

export type Crd = CustomResourceDefinition;
export type CrdVersion = CustomResourceDefinitionVersion;

/** A kind in one version, as in metrics: `example.org/v1, Kind=Bucket`. */
export type Gvk = string;

export const gvkOf = (type: Pick<ResourceType, 'group' | 'version' | 'kind'>): Gvk =>
  `${apiVersionOf(type)}, Kind=${type.kind}`;

/**
 * - `served`: established, in this version
 * - `terminating`: the CRD is being deleted; it is served until its last object is gone
 * - `absent`: not established, or not in this version
 */
export type Availability = 'served' | 'terminating' | 'absent';

/** The versions of a CRD, and whether they are served. */
export function versionsOf({ spec }: Crd): ReadonlyMap<Gvk, boolean> {
  const { group, names, versions = [] } = spec;
  return new Map(
    versions.map(({ name, served }) => [gvkOf({ group, version: name, kind: names.kind }), served]),
  );
}

export function isEstablished({ status }: Crd): boolean {
  return status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false;
}

/** The availability of each version of a CRD. */
export function availabilityOf(crd: Crd): ReadonlyMap<Gvk, Availability> {
  const terminating = crd.metadata.deletionTimestamp !== undefined;
  const reachable: Availability = terminating ? 'terminating' : 'served';
  const established = isEstablished(crd);
  return new Map(
    [...versionsOf(crd)].map(([gvk, served]) => [gvk, established && served ? reachable : 'absent']),
  );
}

/** Drops the large fields of a CRD, i.e. the schemas, in place. Other objects are not changed. */
export function trimCrd<T extends KubeObject>(object: T): T {
  if (object.kind !== 'CustomResourceDefinition' || !isCrd(object)) return object;
  for (const version of object.spec.versions ?? []) delete version.schema;
  return dropBookkeeping(object);
}

function isCrd(object: KubeObject): object is Crd {
  return 'spec' in object && typeof object.spec === 'object' && object.spec !== null;
}
