import { dropBookkeeping } from '../../kube/cache/transform.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  KubeObject,
} from '../../kube/object/object.ts';
import { apiVersionOf, type ResourceType } from '../../kube/object/resource-type.ts';

export type Crd = CustomResourceDefinition;
export type CrdVersion = CustomResourceDefinitionVersion;

/** Names a kind in one version, as metrics do: `example.org/v1, Kind=Bucket`. */
export type Gvk = string;

export const gvkOf = (type: Pick<ResourceType, 'group' | 'version' | 'kind'>): Gvk =>
  `${apiVersionOf(type)}, Kind=${type.kind}`;

/**
 * - `served`  there, and will stay
 * - `ending`  the CRD is being deleted; it is served until the last of its objects is gone, which may need us
 * - `absent`  not to be reached: not established, or not in this version
 */
export type Availability = 'served' | 'ending' | 'absent';

/** The versions of a CRD and whether the API server is asked to serve them. */
export function versionsOf({ spec }: Crd): ReadonlyMap<Gvk, boolean> {
  const { group, names, versions = [] } = spec;
  return new Map(
    versions.map(({ name, served }) => [gvkOf({ group, version: name, kind: names.kind }), served]),
  );
}

export function isEstablished({ status }: Crd): boolean {
  return status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True') ?? false;
}

/** What can be done with each version of the kind that a CRD defines. */
export function availabilityOf(crd: Crd): ReadonlyMap<Gvk, Availability> {
  const ending = crd.metadata.deletionTimestamp !== undefined;
  const reachable: Availability = ending ? 'ending' : 'served';
  const established = isEstablished(crd);
  return new Map(
    [...versionsOf(crd)].map(([gvk, served]) => [gvk, established && served ? reachable : 'absent']),
  );
}

/** Drops what makes a CRD large, the schemas above all; other objects stay as they are. Changes it in place. */
export function trimCrd<T extends KubeObject>(object: T): T {
  if (object.kind !== 'CustomResourceDefinition' || !isCrd(object)) return object;
  for (const version of object.spec.versions ?? []) delete version.schema;
  return dropBookkeeping(object);
}

function isCrd(object: KubeObject): object is Crd {
  return 'spec' in object && typeof object.spec === 'object' && object.spec !== null;
}
