import { indexed, mapped, type ReconciledKind } from '../../../framework/controller/index.ts';
import { credentialSources, instanceUsers } from '../credentials/credential-users.ts';
import { type DriftOptions, tracked } from '../drift/tracked-kind.ts';
import { type ServiceKindOptions, serviceKind } from '../operations/service-reconciler.ts';
import type { ServiceInstance as SmInstance } from '../service-manager/index.ts';
import { instancesByUid, watchedSecretsOf, watchingInstances } from '../watched-secrets/watched-secrets.ts';
import { differs } from './drift.ts';
import { type InstanceMemory, instanceIDOf } from './instance-run.ts';
import { createInstanceReconciler } from './reconciler.ts';
import { type ServiceInstance, serviceInstances } from './resource.ts';

/** ServiceInstances; `watchedSecretKind` belongs to it. */
export function serviceInstanceKind(
  options: ServiceKindOptions & DriftOptions,
): ReconciledKind<ServiceInstance, InstanceMemory> {
  const suspects = new Set<string>();
  const { clusterID } = options.settings;
  return {
    ...serviceKind<ServiceInstance>(options),
    type: serviceInstances,
    sources: (informers, cache) => {
      const byUid = instancesByUid(informers);
      return [
        ...credentialSources(informers, instanceUsers(informers), options.credentials),
        indexed(
          [byUid],
          mapped(watchedSecretsOf(informers), (secret) => watchingInstances(byUid, secret)),
        ),
        options.instanceRequests,
        tracked<ServiceInstance, SmInstance>(
          {
            cache,
            suspects,
            idOf: instanceIDOf,
            userOf: (instance) => instance,
            list: (client, onPage, callOptions) => client.eachInstance(clusterID, onPage, callOptions),
            differs,
          },
          options.trackings,
        ),
      ];
    },
    reconcile: createInstanceReconciler({ ...options, suspects }),
  };
}
