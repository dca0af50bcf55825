import { keyOf, keyString } from '../../../kube/index.ts';
import { mapped, type ReconciledKind } from '../../../runtime/index.ts';
import { type CredentialUse, credentialSources } from '../credentials/credential-sources.ts';
import { type ServiceKindOptions, serviceKind } from '../operations/service-kind.ts';
import type { InstanceMemory } from './instance-run.ts';
import { watchedSecretsOf, watchingInstances } from './parameters/watched-secrets.ts';
import { createInstanceReconciler } from './reconciler.ts';
import { type ServiceInstance, serviceInstances } from './resource.ts';

/** ServiceInstances; `watchedSecretKind` belongs to it. */
export function serviceInstanceKind(
  options: ServiceKindOptions,
): ReconciledKind<ServiceInstance, InstanceMemory> {
  return {
    ...serviceKind<ServiceInstance>(options),
    type: serviceInstances,
    sources: (informers) => [
      ...credentialSources(
        informers,
        () => informers.of(serviceInstances).list().map(credentialUse),
        options.credentials,
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
