/** Kubernetes objects stay plain JSON: unknown fields survive a read and a write, and nothing is converted. */

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  generateName?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: unknown[];
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface Secret extends KubeObject {
  type?: string;
  /** base64 values */
  data?: Record<string, string>;
  immutable?: boolean;
}

export interface ConfigMap extends KubeObject {
  data?: Record<string, string>;
}

export interface Lease extends KubeObject {
  spec?: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    acquireTime?: string;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** The fields that the framework reads. */
export interface CustomResourceDefinition extends KubeObject {
  spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    versions?: CustomResourceDefinitionVersion[];
  };
  status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export interface CustomResourceDefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  /** The largest part of a CRD. */
  schema?: unknown;
}

/** Names an object within one resource type; `namespace` is absent for cluster-scoped ones. */
export interface ObjectKey {
  readonly name: string;
  readonly namespace?: string;
}

export function keyOf(object: KubeObject): ObjectKey {
  const { name, namespace } = object.metadata;
  return namespace === undefined ? { name } : { name, namespace };
}

/** `namespace/name`, or `name` where there is no namespace: how users and queues name an object. */
export function keyString(key: ObjectKey): string {
  return key.namespace === undefined || key.namespace === '' ? key.name : `${key.namespace}/${key.name}`;
}

/** Whether the object is being deleted: it stays until its finalizers are removed. */
export function wasDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}
