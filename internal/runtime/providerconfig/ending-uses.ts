import type { CacheEvent, ObjectCache } from '../../kube/cache.ts';
import { type KubeObject, keyString } from '../../kube/object.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import type { Enqueue } from '../controller/source.ts';
import { wasDeleted } from '../resource/meta.ts';
import { type ProviderConfigUsage, resourceKeyOf, usageFinalizer } from './usage.ts';

/**
 * Usages that are being deleted and still held, by the key of their resource. Usually the resource is on its way
 * out and lets go itself. One that never got a finalizer of its own may be gone before its usage; nothing else would
 * ever look at that again.
 */
export interface EndingUses {
  /** Adds the keys of their resources, now and as they come. The returned function ends it. */
  start(enqueue: Enqueue): () => void;
  /** Those of the resource with this key. */
  of(key: string): readonly ProviderConfigUsage[];
}

/** @param type of the resources */
export function createEndingUses(cache: ObjectCache<ProviderConfigUsage>, type: ResourceType): EndingUses {
  const ending = new Map<string, Map<string, ProviderConfigUsage>>();
  const forget = (resource: string, usage: string) => {
    const usages = ending.get(resource);
    usages?.delete(usage);
    if (usages?.size === 0) ending.delete(resource);
  };
  const note = ({ type: what, object }: CacheEvent<ProviderConfigUsage>, enqueue: Enqueue) => {
    if (!isOf(object, type)) return;
    const resource = keyString(resourceKeyOf(object));
    if (what === 'deleted' || !isHeld(object)) return forget(resource, object.metadata.name);
    const usages = ending.get(resource) ?? new Map<string, ProviderConfigUsage>();
    ending.set(resource, usages.set(object.metadata.name, object));
    enqueue(resource);
  };
  return {
    start: (enqueue) => cache.subscribe((event) => note(event, enqueue)),
    of: (key) => [...(ending.get(key)?.values() ?? [])],
  };
}

function isHeld(usage: KubeObject): boolean {
  return wasDeleted(usage) && (usage.metadata.finalizers?.includes(usageFinalizer) ?? false);
}

/** Whatever the version: a kind may be served in several. */
function isOf({ resourceRef }: ProviderConfigUsage, { group, kind }: ResourceType): boolean {
  return resourceRef?.kind === kind && resourceRef.apiVersion?.split('/')[0] === group;
}
