/**
 * The wire format of admission webhooks: the used part of `AdmissionReview` of `admission.k8s.io`, in which v1 and v1beta1
 * are the same.
 */

import { ProviderError } from '../../base/errors/errors.ts';
import { isObject } from '../../base/json/json-value.ts';
import type { KubeObject } from '../../kube/object/object.ts';

export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

export interface AdmissionUser {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The request of an API server. `object` is absent for DELETE, `oldObject` for CREATE. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  readonly name?: string;
  readonly namespace?: string;
  readonly userInfo?: AdmissionUser;
  readonly dryRun?: boolean;
  readonly object?: T;
  readonly oldObject?: T;
}

export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly warnings?: readonly string[];
  readonly status?: { readonly code: number; readonly reason?: string; readonly message: string };
  readonly patchType?: 'JSONPatch';
  /** A JSON patch (RFC 6902), base64. */
  readonly patch?: string;
}

const API_VERSIONS: readonly unknown[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
const OPERATIONS: readonly AdmissionOperation[] = ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'];

/** @throws if `body` is no AdmissionReview with a request */
export function readAdmissionRequest(body: unknown): AdmissionRequest {
  const request = isObject(body) ? body.request : undefined;
  if (!isObject(body) || !API_VERSIONS.includes(body.apiVersion) || !isObject(request)) {
    throw malformed(`the body is no AdmissionReview of ${API_VERSIONS.join(' or ')} with a request`);
  }
  const { uid, name, namespace, userInfo, dryRun } = request;
  if (typeof uid !== 'string' || uid === '') throw malformed('request.uid is no text');
  const operation = OPERATIONS.find((each) => each === request.operation);
  if (operation === undefined) throw malformed('request.operation is none of Kubernetes');
  const object = objectOf(request, 'object');
  const oldObject = objectOf(request, 'oldObject');
  return {
    uid,
    operation,
    ...(typeof name === 'string' ? { name } : {}),
    ...(typeof namespace === 'string' ? { namespace } : {}),
    ...(isObject(userInfo) ? { userInfo: userOf(userInfo) } : {}),
    ...(typeof dryRun === 'boolean' ? { dryRun } : {}),
    ...(object === undefined ? {} : { object }),
    ...(oldObject === undefined ? {} : { oldObject }),
  };
}

/** Kubernetes writes null for a missing object. */
function objectOf(request: Record<string, unknown>, field: 'object' | 'oldObject'): KubeObject | undefined {
  const value = request[field];
  if (value === undefined || value === null) return undefined;
  if (!isKubeObject(value)) throw malformed(`request.${field} is no Kubernetes object`);
  return value;
}

function userOf({ username, uid, groups, extra }: Record<string, unknown>): AdmissionUser {
  return {
    ...(typeof username === 'string' ? { username } : {}),
    ...(typeof uid === 'string' ? { uid } : {}),
    ...(isTexts(groups) ? { groups } : {}),
    ...(isObject(extra) ? { extra: textsByName(extra) } : {}),
  };
}

function textsByName(extra: Record<string, unknown>): Record<string, readonly string[]> {
  return Object.fromEntries(
    Object.entries(extra).flatMap(([name, values]) => (isTexts(values) ? [[name, values] as const] : [])),
  );
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');

/** @param review to which the response belongs; it has the same version */
export const admissionReview = (review: unknown, response: AdmissionResponse) => ({
  apiVersion: isObject(review) ? review.apiVersion : undefined,
  kind: 'AdmissionReview',
  response,
});

/** For readers of reviews of admission and of conversion. */
export const malformed = (problem: string) =>
  new ProviderError('terminal', `cannot read the review: ${problem}`);

export function isKubeObject(value: unknown): value is KubeObject {
  return (
    isObject(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isObject(value.metadata)
  );
}
