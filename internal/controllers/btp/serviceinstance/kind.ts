import { jsonEqual } from '../../../base/json/json-equal.ts';
import { keyOf, keyString } from '../../../kube/index.ts';
import { changedByUsers, mapped, type ReconciledKind } from '../../../runtime/index.ts';
import { type CredentialUse, credentialSources } from '../credentials/credential-sources.ts';
import type { CredentialSettings } from '../credentials/secret-names.ts';
import { finalizer } from '../metadata.ts';
import type { ServiceReconcilerOptions } from '../operations/run.ts';
import type { InstanceMemory } from './instance-run.ts';
import { watchedSecretsOf, watchingInstances } from './parameters/watched-secrets.ts';
import { createInstanceReconciler } from './reconciler.ts';
import { type ServiceInstance, serviceInstances } from './resource.ts';

export interface ServiceInstanceKindOptions extends ServiceReconcilerOptions {
  /** Where credentials are looked up. Their changes request reconciles. */
  readonly credentials: CredentialSettings;
  /** Delays after failures, in ms. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Instances reconciled at the same time; default 100. A host of Service Manager has a quarter of them. */
  readonly workers?: number;
}

/** A synchronous create may take two minutes in Service Manager. */
const EXTERNAL_TIMEOUT_MS = 150_000;

/** ServiceInstances; `watchedSecretKind` belongs to it. */
export function serviceInstanceKind({
  backoff,
  credentials,
  workers = 100,
  ...options
}: ServiceInstanceKindOptions): ReconciledKind<ServiceInstance, InstanceMemory> {
  return {
    type: serviceInstances,
    finalizer,
    externalTimeoutMs: EXTERNAL_TIMEOUT_MS,
    backoff,
    workers,
    // Changes of the status by others too, such as `forceReconcile`. Own writes are not reported.
    predicate: (old, object) => changedByUsers(old, object) || !jsonEqual(old.status, object.status),
    sources: (informers) => [
      ...credentialSources(
        informers,
        () => informers.of(serviceInstances).list().map(credentialUse),
        credentials,
      ),
      mapped(watchedSecretsOf(informers), (secret) => watchingInstances(informers, secret)),
    ],
    reconcile: createInstanceReconciler(options),
  };
}

const credentialUse = (instance: ServiceInstance): CredentialUse => ({
  request: keyString(keyOf(instance)),
  instance,
});
