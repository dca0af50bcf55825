import {
  createObjectIndex,
  indexed,
  type MapFunction,
  mapped,
  type Source,
} from '../../../controller/sources/source.ts';
import type { ObjectCache } from '../../../kube/cache/cache.ts';
import { keyString, wasDeleted } from '../../../kube/object/object.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';
import type { ProviderConfigUsage } from '../model/provider-config.ts';
import { resourceKeyOf, usageFinalizer } from './usage.ts';

/**
 * Usages that are being deleted and still have the finalizer, by the key of their resource. Usually the reconcile of
 * the resource removes the finalizer. A resource without a finalizer may be gone before its usage; then no event of
 * the resource causes a reconcile.
 */
export interface TerminatingUsages {
  /** Adds the keys of their resources. */
  readonly source: Pick<Source, 'start'>;
  /** The usages of the resource with this key. */
  of(key: string): readonly ProviderConfigUsage[];
}

/** @param type of the resources */
export function createTerminatingUsages(
  cache: ObjectCache<ProviderConfigUsage>,
  type: ResourceType,
): TerminatingUsages {
  const resourceOf: MapFunction<ProviderConfigUsage> = (usage) =>
    isOf(usage, type) && isTerminating(usage) ? [keyString(resourceKeyOf(usage))] : [];
  const index = createObjectIndex(cache, resourceOf);
  const requests = mapped(cache, resourceOf, { predicate: (_, usage) => isTerminating(usage) });
  return {
    source: { start: indexed([index], requests).start },
    of: index.of,
  };
}

function isTerminating(usage: ProviderConfigUsage): boolean {
  return wasDeleted(usage) && (usage.metadata.finalizers?.includes(usageFinalizer) ?? false);
}

/** Versions are not compared: a kind may be served in several. */
function isOf({ resourceRef }: ProviderConfigUsage, { group, kind }: ResourceType): boolean {
  return resourceRef?.kind === kind && resourceRef.apiVersion?.split('/')[0] === group;
}
