import { mapped, type ReconciledKind } from '../../../controller/index.ts';
import { credentialSources } from '../credentials/credential-sources.ts';
import { instanceUses } from '../credentials/credential-users.ts';
import { type ServiceKindOptions, serviceKind } from '../operations/service-kind.ts';
import { watchedSecretsOf, watchingInstances } from '../watched-secrets/watched-secrets.ts';
import type { InstanceMemory } from './instance-run.ts';
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
      ...credentialSources(informers, () => instanceUses(informers), options.credentials),
      mapped(watchedSecretsOf(informers), (secret) => watchingInstances(informers, secret)),
      options.instanceRequests,
    ],
    reconcile: createInstanceReconciler(options),
  };
}
