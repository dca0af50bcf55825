import type { CoreEvent } from './core-event.ts';
import type { ConfigMap, CustomResourceDefinition, KubeObject, Lease, Secret } from './object.ts';

/**
 * A resource of the API, without discovery. `T` is the type of its objects, so that a client, a cache or a source needs no
 * type argument.
 */
export interface ResourceType<T extends KubeObject = KubeObject> {
  /** `''` for the core group */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** False for kinds of API servers themselves and of aggregated ones, which are found by discovery. Default: true. */
  readonly hasCrd?: boolean;
  /** For type inference only. Never set. */
  readonly objectType?: T;
}

export function apiVersionOf(type: Pick<ResourceType, 'group' | 'version'>): string {
  return type.group === '' ? type.version : `${type.group}/${type.version}`;
}

/** `instancemappings.inventory.example.org`, as CRDs and RBAC rules are named. */
export function groupResource(type: ResourceType): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

/**
 * Sets `apiVersion` and `kind`: items of a list have none, metadata-only objects have `PartialObjectMetadata`. All objects
 * share the same two strings.
 */
export function typeSetter(type: ResourceType): <T extends KubeObject>(object: T) => T {
  const own = { apiVersion: apiVersionOf(type), kind: type.kind };
  return (object) => Object.assign(object, own);
}

export const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  namespaced: false,
};
export const secrets: ResourceType<Secret> = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
};
export const configMaps: ResourceType<ConfigMap> = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
};
export const events: ResourceType<CoreEvent> = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  namespaced: true,
};
export const leases: ResourceType<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};
export const customResourceDefinitions: ResourceType<CustomResourceDefinition> = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
  namespaced: false,
};
