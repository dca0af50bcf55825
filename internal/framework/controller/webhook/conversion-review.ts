/** The wire format of conversion webhooks: `ConversionReview` of `apiextensions.k8s.io/v1`. */

import { isObject } from '../../base/json/json-field.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { isKubeObject, malformed } from './review.ts';

export interface ConversionRequest {
  readonly uid: string;
  /** `group/version` of the requested objects. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

export interface ConversionResponse {
  readonly uid: string;
  /** In the order of the request; empty after a failure. */
  readonly convertedObjects: readonly KubeObject[];
  readonly result: { readonly status: 'Success' } | { readonly status: 'Failure'; readonly message: string };
}

const API_VERSION = 'apiextensions.k8s.io/v1';

/** @throws if `body` is no ConversionReview with a request */
export function readConversionRequest(body: unknown): ConversionRequest {
  const request = isObject(body) ? body.request : undefined;
  if (!isObject(body) || body.apiVersion !== API_VERSION || !isObject(request)) {
    throw malformed(`the body is no ConversionReview of ${API_VERSION} with a request`);
  }
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || uid === '') throw malformed('request.uid is no text');
  if (typeof desiredAPIVersion !== 'string') throw malformed('request.desiredAPIVersion is no text');
  if (!Array.isArray(objects) || !objects.every(isKubeObject)) {
    throw malformed('request.objects is no list of Kubernetes objects');
  }
  return { uid, desiredAPIVersion, objects };
}

export const conversionReview = (response: ConversionResponse) => ({
  apiVersion: API_VERSION,
  kind: 'ConversionReview',
  response,
});
