import { jsonEqual } from '../../../base/json/json-equal.ts';
import { type Informers, type KubeObject, keyOf, keyString } from '../../../kube/index.ts';
import {
  changedByUsers,
  createObjectIndex,
  mapped,
  type ObjectIndex,
  ownedBy,
  type ReconciledKind,
  type Source,
} from '../../../runtime/index.ts';
import { type CredentialUse, credentialSources } from '../credentials/credential-sources.ts';
import type { CredentialSettings } from '../credentials/secret-names.ts';
import { finalizer } from '../metadata.ts';
import type { ServiceReconcilerOptions } from '../operations/run.ts';
import { type ServiceInstance, serviceInstances } from '../serviceinstance/resource.ts';
import { isReady, readyOf } from '../status/conditions.ts';
import type { BindingMemory } from './binding-run.ts';
import { credentialUserOf, instanceKeyOf, instanceOf } from './bound-instance.ts';
import { secretsOfBindings } from './bound-secret.ts';
import { createBindingReconciler } from './reconciler.ts';
import { type ServiceBinding, serviceBindings } from './resource.ts';
import { originKeysOf } from './rotation/expire.ts';

export interface ServiceBindingKindOptions extends ServiceReconcilerOptions {
  /** Where credentials are looked up. Their changes request reconciles. */
  readonly credentials: CredentialSettings;
  /** Delays after failures, in ms. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
  /** Bindings reconciled at the same time; default 100. A host of Service Manager has a quarter of them. */
  readonly workers?: number;
}

/** A synchronous create may take two minutes in Service Manager. */
const EXTERNAL_TIMEOUT_MS = 150_000;

/** ServiceBindings, with their Secrets. */
export function serviceBindingKind({
  backoff,
  credentials,
  workers = 100,
  ...options
}: ServiceBindingKindOptions): ReconciledKind<ServiceBinding, BindingMemory> {
  return {
    type: serviceBindings,
    needs: [serviceBindings, serviceInstances],
    finalizer,
    externalTimeoutMs: EXTERNAL_TIMEOUT_MS,
    backoff,
    workers,
    predicate: (old, object) => changedByUsers(old, object) || !jsonEqual(old.status, object.status),
    sources: (informers) => [
      ...credentialSources(informers, () => credentialUses(informers), credentials),
      ofInstances(informers),
      ofOrigins(informers),
      ownedBy(secretsOfBindings(informers), serviceBindings),
    ],
    reconcile: createBindingReconciler(options),
  };
}

const credentialUses = (informers: Informers): CredentialUse[] =>
  informers
    .of(serviceBindings)
    .list()
    .map((binding) => ({
      request: keyString(keyOf(binding)),
      instance: credentialUserOf(binding, instanceOf(binding, informers)),
    }));

/** Requests the bindings of an instance when it changes in a way that matters to them. */
function ofInstances(informers: Informers): Source {
  const index = createObjectIndex(informers.of(serviceBindings), (binding) => [instanceKeyOf(binding)]);
  const instances = informers.of(serviceInstances);
  const predicate = (old: ServiceInstance, instance: ServiceInstance) =>
    !jsonEqual(relevant(old), relevant(instance));
  return indexed(index, mapped(instances, requestsOf(index), { predicate }));
}

/** Requests the bindings that another one has replaced when that one gets or loses its credentials. */
function ofOrigins(informers: Informers): Source {
  const bindings = informers.of(serviceBindings);
  const index = createObjectIndex(bindings, originKeysOf);
  const predicate = (old: ServiceBinding, binding: ServiceBinding) => isReady(old) !== isReady(binding);
  return indexed(index, mapped(bindings, requestsOf(index), { predicate }));
}

const requestsOf =
  (index: ObjectIndex<ServiceBinding>) =>
  (object: KubeObject): string[] =>
    index.of(keyString(keyOf(object))).map((binding) => keyString(keyOf(binding)));

/** A source whose map function uses the index. */
const indexed = (index: ObjectIndex<ServiceBinding>, source: Source): Source => ({
  ...source,
  start: (enqueue) => {
    const stops = [index.start(), source.start(enqueue)];
    return () => {
      for (const stop of stops) stop();
    };
  },
});

const relevant = (instance: ServiceInstance) => [
  instance.metadata.annotations,
  instance.metadata.deletionTimestamp,
  instance.spec.btpAccessCredentialsSecret,
  instance.status?.instanceID,
  instance.status?.ready,
  readyOf(instance)?.reason,
];
