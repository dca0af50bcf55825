import type { ServiceBinding } from '../../../../apis/services.cloud.sap.com/v1/servicebinding.gen.ts';
import type { ServiceInstance } from '../../../../apis/services.cloud.sap.com/v1/serviceinstance.gen.ts';
import type { AdmissionOperation, Webhook } from '../../../framework/controller/index.ts';
import { applyJsonPatch } from '../../../framework/kube/apply/patches.ts';
import type { KubeObject } from '../../../framework/kube/object/object.ts';

export const user = { username: 'ann', uid: '1', groups: ['a'], extra: { scope: ['b'] } };
export const otherUser = { username: 'bob', uid: '2' };

export function instance(
  spec: Partial<ServiceInstance['spec']> = {},
  annotations: Record<string, string> = {},
): ServiceInstance {
  return {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceInstance',
    metadata: { namespace: 'shop', name: 'one', annotations },
    spec: { serviceOfferingName: 'offering', servicePlanName: 'plan', ...spec },
  };
}

export function binding(
  spec: Partial<ServiceBinding['spec']> = {},
  more: {
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    bindingID?: string;
    status?: Partial<NonNullable<ServiceBinding['status']>>;
  } = {},
): ServiceBinding {
  const { labels = {}, annotations = {}, bindingID, status } = more;
  return {
    apiVersion: 'services.cloud.sap.com/v1',
    kind: 'ServiceBinding',
    metadata: { namespace: 'shop', name: 'bound', labels, annotations },
    spec: { serviceInstanceName: 'one', ...spec },
    ...(bindingID === undefined ? {} : { status: { conditions: [], bindingID, ...status } }),
  };
}

export interface ReviewParts {
  readonly operation: AdmissionOperation;
  readonly object?: object;
  readonly oldObject?: object;
  readonly userInfo?: object;
}

interface Review {
  readonly response: {
    readonly allowed: boolean;
    readonly patch?: string;
    readonly status?: { readonly code: number; readonly message: string };
  };
}

/** What an API server does with the response: the changed object, or the refusal. */
export async function review<T extends KubeObject>(
  webhook: Webhook | undefined,
  { operation, object, oldObject, userInfo = user }: ReviewParts,
): Promise<{ readonly object: T; readonly patched: boolean } | { readonly refused: string }> {
  const request = { uid: 'u-1', operation, userInfo, object: object ?? null, oldObject: oldObject ?? null };
  const { signal } = new AbortController();
  const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
  if (webhook === undefined) throw new Error('there is no such webhook');
  const { response } = (await webhook.respond(body, signal)) as Review;
  if (!response.allowed) return { refused: `${response.status?.code}: ${response.status?.message}` };
  const patch = JSON.parse(Buffer.from(response.patch ?? 'W10=', 'base64').toString('utf8'));
  return { object: applyJsonPatch(object ?? {}, patch) as T, patched: patch.length > 0 };
}
