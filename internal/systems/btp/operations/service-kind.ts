import { jsonEqual } from '../../../framework/base/index.ts';

import { type Channel, changedByUsers, type ReconciledKind } from '../../../framework/controller/index.ts';
import { smallParts } from '../caches.ts';
import type { CredentialSettings } from '../credentials/secret-names.ts';
import { finalizer } from '../metadata.ts';
import type { ServiceResource } from '../status/service-resource.ts';
import type { BindingsOfInstances } from './bindings-of-instances.ts';
import type { ServiceReconcilerOptions } from './run.ts';

/** Options of the kinds ServiceInstance and ServiceBinding. */
export interface ServiceKindOptions extends Omit<ServiceReconcilerOptions, 'suspects'> {
  /** Where credentials are looked up. Their changes request reconciles. */
  readonly credentials: CredentialSettings;
  /** Requests of instances by the controller of bindings. One for both kinds. */
  readonly instanceRequests: Channel;
  /** One for both kinds. */
  readonly bindings: BindingsOfInstances;
  /** Delays after failures, in ms. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Deadline of the external calls of other kinds, in ms. */
  readonly externalTimeoutMs: number;
}

/** The least deadline of external calls: a synchronous create may take two minutes in Service Manager. */
const MIN_EXTERNAL_TIMEOUT_MS = 150_000;

/** What both kinds have in common. */
export function serviceKind<T extends ServiceResource>({ backoff, externalTimeoutMs }: ServiceKindOptions) {
  return {
    finalizer,
    externalTimeoutMs: Math.max(MIN_EXTERNAL_TIMEOUT_MS, externalTimeoutMs),
    backoff,
    transform: smallParts,
    sharesSpec: true,
    // Changes of the status by others too, such as `forceReconcile`. Own writes are not reported.
    predicate: (old, object) => changedByUsers(old, object) || !jsonEqual(old.status, object.status),
  } satisfies Partial<ReconciledKind<T>>;
}
