/**
 * A webhook is a path that API servers call before they store an object (admission: validating or mutating) or to
 * convert it to another version (conversion). The model is controller-runtime: `admission.CustomValidator`,
 * `admission.CustomDefaulter` and `conversion.Webhook`.
 *
 * A webhook configuration names the path of each admission webhook, and a CRD that of its conversion webhook.
 */
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { cloneJson, countValues, isObject } from '../../base/json/json-value.ts';
import { jsonPatch } from '../../kube/apply/patches.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import {
  type AdmissionRequest,
  type AdmissionResponse,
  admissionReview,
  isKubeObject,
  malformed,
  readAdmissionRequest,
} from './admission-review.ts';

/** A webhook of the server. */
export interface Webhook {
  /** Starts with a slash. */
  readonly path: string;
  /**
   * @param review the body of the request
   * @returns the body of the response
   * @throws where `review` is malformed
   */
  respond(review: unknown, signal: AbortSignal): Promise<object>;
}

export interface WebhookContext {
  /** Aborted when the API server may have timed out. */
  readonly signal: AbortSignal;
}

/** The request is denied; users read the message after `admission webhook "…" denied the request: `. */
export class DeniedError extends ProviderError {
  /** The HTTP status that clients get. */
  readonly code: 400 | 403;

  /** @param options `code`: 400 for an object that cannot be valid; default 403 */
  constructor(message: string, { code = 403 }: { readonly code?: 400 | 403 } = {}) {
    super('terminal', message);
    this.code = code;
  }
}

/**
 * Allows or denies a request. May return warnings, which clients show to users.
 *
 * @throws DeniedError to deny it. Any other error denies it as an internal error.
 */
export type Validate<T extends KubeObject> = (
  request: AdmissionRequest<T>,
  context: WebhookContext,
) => ValidationResult | Promise<ValidationResult>;

// biome-ignore lint/suspicious/noConfusingVoidType: most validations return nothing.
export type ValidationResult = readonly string[] | void;

/** Changes the object in place, e.g. sets defaults. Called for CREATE and UPDATE. Throws as `Validate` does. */
export type Mutate<T extends KubeObject> = (
  object: T,
  request: AdmissionRequest<T>,
  context: WebhookContext,
) => void | Promise<void>;

/** @param path default: `validatePath` of controller-runtime for the type */
export function validatingWebhook<T extends KubeObject>(
  type: ResourceType<T>,
  validate: Validate<T>,
  path: string = admissionPath('validate', type),
): Webhook {
  return admission<T>(path, async (request, context) => {
    const warnings = await validate(request, context);
    return warnings === undefined || warnings.length === 0 ? {} : { warnings };
  });
}

/** @param path default: `mutatePath` of controller-runtime for the type */
export function mutatingWebhook<T extends KubeObject>(
  type: ResourceType<T>,
  mutate: Mutate<T>,
  path: string = admissionPath('mutate', type),
): Webhook {
  return admission<T>(path, async (request, context) => {
    const { object } = request;
    if (object === undefined) return {};
    const changed = cloneJson(object);
    await mutate(changed, request, context);
    const patch = jsonPatch(object, changed);
    if (patch.length === 0) return {};
    return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
  });
}

/** Converts the object to `apiVersion`. Of the metadata only labels and annotations may change. */
export type Convert = (object: KubeObject, apiVersion: string) => KubeObject;

/** @param path default: `/convert`, as in controller-runtime */
export function conversionWebhook(convert: Convert, path = '/convert'): Webhook {
  return {
    path,
    respond: async (review) => {
      const { uid, desiredAPIVersion, objects } = readConversionRequest(review);
      try {
        const convertedObjects = objects.map((object) =>
          object.apiVersion === desiredAPIVersion ? object : convert(cloneJson(object), desiredAPIVersion),
        );
        return conversionReview({ uid, convertedObjects, result: { status: 'Success' } });
      } catch (error) {
        const message = messageOf(error);
        return conversionReview({ uid, convertedObjects: [], result: { status: 'Failure', message } });
      }
    },
  };
}

/** `/validate-services-cloud-sap-com-v1-serviceinstance`: the paths of controller-runtime's webhook builder. */
function admissionPath(verb: 'validate' | 'mutate', { group, version, kind }: ResourceType): string {
  return `/${verb}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

/**
 * Fields and elements of an object: 20,000 of users, and two for each in `managedFields`. A copy of more, and its comparison, would hold up
 * the reviews of others.
 */
const MAX_VALUES = 52_500;
const isLarge = (object: KubeObject | undefined) => countValues(object, MAX_VALUES + 1) > MAX_VALUES;

const reasons = { 400: 'BadRequest', 403: 'Forbidden', 500: 'InternalError' } as const;

function admission<T extends KubeObject>(
  path: string,
  decide: (
    request: AdmissionRequest<T>,
    context: WebhookContext,
  ) => Promise<Omit<AdmissionResponse, 'uid' | 'allowed'>>,
): Webhook {
  return {
    path,
    respond: async (review, signal) => {
      const request = readAdmissionRequest(review) as AdmissionRequest<T>;
      const { uid } = request;
      const respond = (response: Omit<AdmissionResponse, 'uid'>) =>
        admissionReview(review, { uid, ...response });
      try {
        // One that is stored can be changed, so that its finalizers can be removed.
        if (isLarge(request.object) && !isLarge(request.oldObject))
          throw new DeniedError(`the object has more than ${MAX_VALUES} fields and elements`, { code: 400 });
        return respond({ allowed: true, ...(await decide(request, { signal })) });
      } catch (error) {
        const code = error instanceof DeniedError ? error.code : 500;
        return respond({
          allowed: false,
          status: { code, reason: reasons[code], message: messageOf(error) },
        });
      }
    },
  };
}

// The wire format of conversion webhooks: `ConversionReview` of `apiextensions.k8s.io/v1`.

interface ConversionRequest {
  readonly uid: string;
  /** `group/version` of the requested objects. */
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

interface ConversionResponse {
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

const conversionReview = (response: ConversionResponse) => ({
  apiVersion: API_VERSION,
  kind: 'ConversionReview',
  response,
});
