import type { Deps } from '../../../framework/base/index.ts';

import type { Source } from '../../../framework/controller/index.ts';
import { findCondition, type ObjectCache } from '../../../framework/kube/index.ts';
import { typeReady, typeSucceeded } from './conditions.ts';
import { reasons } from './messages.ts';
import type { ServiceResource } from './service-resource.ts';

/** Users with rights on the status can write any reason; each would be a series. */
const known: ReadonlySet<string> = new Set(Object.values(reasons));

/** A source that requests nothing: while its controller runs, it counts the objects of the kind by state for metrics. */
export function objectCounts(
  kind: string,
  cache: Pick<ObjectCache<ServiceResource>, 'subscribe' | 'hasSynced' | 'whenSynced'>,
  { metrics }: Pick<Deps, 'metrics'>,
): Source {
  const gauge = metrics.gauge({
    name: 'provider_kyma_service_objects',
    help: 'ServiceInstances and ServiceBindings by the reason of their condition Succeeded; NotFound if they are gone in Service Manager.',
    labels: ['kind', 'reason'],
  });
  return {
    hasSynced: () => cache.hasSynced(),
    whenSynced: (signal) => cache.whenSynced(signal),
    start: () => {
      const counts = new Map<string, number>();
      const add = (object: ServiceResource, by: number) => {
        const reason = stateOf(object);
        const count = (counts.get(reason) ?? 0) + by;
        counts.set(reason, count);
        gauge.set(count, { kind, reason });
      };
      const end = cache.subscribe((event) => {
        if (event.type === 'updated') add(event.old, -1);
        add(event.object, event.type === 'deleted' ? -1 : 1);
      });
      return () => {
        end();
        for (const reason of counts.keys()) gauge.remove({ kind, reason });
      };
    },
  };
}

function stateOf({ status }: ServiceResource): string {
  const conditions = status?.conditions ?? [];
  if (findCondition(conditions, typeReady)?.reason === reasons.notFound) return reasons.notFound;
  const reason = findCondition(conditions, typeSucceeded)?.reason;
  if (reason === undefined) return 'Pending';
  return known.has(reason) ? reason : 'Other';
}
