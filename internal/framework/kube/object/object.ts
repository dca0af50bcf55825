/** Kubernetes objects stay plain JSON: unknown fields survive a read and a write, and nothing is converted. */

import { isObject, valueAt } from '../../base/json/json-value.ts';

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

/**
 * Whether a value from a server, which may be anything, has the metadata of an object: a name, and what `ObjectMeta` says of all other
 * members that the framework reads.
 *
 * @param named false: it may be nameless, as a review, which is not stored
 */
export function hasObjectMeta(value: unknown, named = true): value is KubeObject {
  const metadata = valueAt(value, ['metadata']);
  if (!isObject(metadata) || (named && typeof metadata.name !== 'string')) return false;
  return MEMBERS.every(([name, isValid]) => {
    const member = metadata[name];
    return member === undefined || member === null || isValid(member);
  });
}

const isText = (value: unknown): boolean => typeof value === 'string';
const areTexts = (value: unknown): boolean => isObject(value) && Object.values(value).every(isText);
const MEMBERS = Object.entries<(value: unknown) => boolean>({
  ...{ name: isText, namespace: isText, uid: isText, resourceVersion: isText },
  ...{ creationTimestamp: isText, deletionTimestamp: isText },
  generation: (value) => typeof value === 'number',
  ...{ labels: areTexts, annotations: areTexts },
  finalizers: (value) => Array.isArray(value) && value.every(isText),
  ownerReferences: (value) => Array.isArray(value) && value.every(isOwner),
} satisfies { readonly [Name in keyof ObjectMeta]: (value: unknown) => boolean });
const isOwner = (value: unknown): boolean =>
  isObject(value) && [value.apiVersion, value.kind, value.name, value.uid].every(isText);

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

/**
 * Whether `a` is older than `b`. Since 1.35 Kubernetes documents that the versions of one resource are increasing decimal
 * numbers. Versions in another form have no order.
 */
export function isOlder(a: string, b: string): boolean {
  if (!decimal.test(a) || !decimal.test(b)) return false;
  return a.length === b.length ? a < b : a.length < b.length;
}

const decimal = /^[1-9]\d*$/;

const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAMESPACE = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;

/** A DNS subdomain (RFC 1123), as names of most objects are. */
export const isObjectName = (name: string): boolean => name.length <= 253 && SUBDOMAIN.test(name);

/** At most `length` characters of a name or label value, without separators at the end, which none of them ends with. */
export function cutName(name: string, length: number): string {
  let end = Math.min(name.length, length);
  while (end > 0 && '-_.'.includes(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** A DNS label (RFC 1123). */
export const isNamespaceName = (name: string): boolean => name.length <= 63 && NAMESPACE.test(name);

/**
 * Whether an object of any kind can have the name: of some kinds (RBAC) each segment of a path is one. Source:
 * `IsValidPathSegmentName` of apimachinery, and the length of names. No name has control characters.
 */
export const isNameOfSomeKind = (name: string): boolean =>
  name !== '.' && name !== '..' && /^[^/%\p{Cc}\p{Cs}]{1,253}$/u.test(name);

/**
 * Why no object can have this key, for a message after `… not found`; undefined if one can: `"Orders_Secret" cannot be the name of
 * an object …`. Roles and bindings, whose names have other characters, are not meant.
 *
 * @param key `namespace/name` or `name`
 */
export function impossibleKey(key: string): string | undefined {
  const slash = key.indexOf('/');
  const [namespace, name] = slash < 0 ? [undefined, key] : [key.slice(0, slash), key.slice(slash + 1)];
  const problem = nameProblem(name, 'an object');
  if (problem !== undefined) return problem;
  if (namespace !== undefined && !isNamespaceName(namespace))
    return `${quoted(namespace)} cannot be a namespace, which has lower-case letters, digits and "-" only`;
  return undefined;
}

/**
 * The sentence about a name that no object can have; undefined: one can. No object that is created cures a reference to it.
 *
 * @param what e.g. `a Secret`
 */
export const nameProblem = (name: string, what: string): string | undefined =>
  isObjectName(name)
    ? undefined
    : `${quoted(name)} cannot be the name of ${what}, which has lower-case letters, digits, "-" and "." only`;

/** `not found`, with the reason why such an object cannot exist, if there is one. */
export function notFoundText(key: string): string {
  const why = impossibleKey(key);
  return why === undefined ? 'not found' : `not found: ${why}`;
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 300));
