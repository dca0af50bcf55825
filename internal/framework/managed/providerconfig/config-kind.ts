import { jsonEqual } from '../../base/json/json-value.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ReconciledKind } from '../../controller/object-controller.ts';
import { mapped, type Source } from '../../controller/sources/source.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import { controllerOf } from '../../kube/object/ownership.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { type ConfigReconcilerOptions, createConfigReconciler } from './config-reconciler.ts';
import type { ProviderConfig, ProviderConfigUsage } from './model/provider-config.ts';
import { configKeyOf } from './usage/config-users.ts';
import { slimUsage } from './usage/usage.ts';

export interface ConfigKindOptions extends ConfigReconcilerOptions {
  readonly clock: Clock;
  /** The configurations. */
  readonly type: ResourceType<ProviderConfig>;
}

const TIMEOUT_MS = 120_000;
/** Lower bound for the time between two reconciles of a configuration for its users, in ms: many may change at once. */
const MIN_DELAY_MS = 1000;

/** The name of a controller, e.g. `providerconfig/providerconfig.example.org`. */
const controllerName = ({ kind, group }: ResourceType): string =>
  `providerconfig/${kind}.${group}`.toLowerCase();

/** One type of provider configurations. */
export function configKind(options: ConfigKindOptions): ReconciledKind<ProviderConfig> {
  const { type, kinds, clock } = options;
  const kind = kinds.scope === 'Namespaced' ? type.kind : undefined;
  /** When a usage has requested each configuration last, by the monotonic clock; perhaps in the future. */
  const requestedAt = new Map<string, number>();
  const delayMs = (key: string) => {
    const now = clock.monotonic();
    let at = requestedAt.get(key) ?? Number.NEGATIVE_INFINITY;
    if (at <= now) at = Math.max(now, at + MIN_DELAY_MS);
    requestedAt.set(key, at);
    return at - now;
  };
  return {
    type,
    name: controllerName(type),
    predicate: isRelevant,
    expects: () => false,
    // Of all labels: shards share configurations.
    cache: (informers) => informers.of(type),
    sources: (informers, cache) => {
      const usages = informers.of(kinds.usage, { transform: slimUsage });
      return [usedConfigs(usages, cache, { kind, delayMs })];
    },
    beforeReconcile: async (key, found) => {
      if (found === undefined) requestedAt.delete(key);
    },
    reconcile: createConfigReconciler(options),
    workers: 1,
    timeoutMs: TIMEOUT_MS,
  };
}

/** Adds configurations in `configs` whose number of users changed with a usage. */
export function usedConfigs(
  usages: ObjectCache<ProviderConfigUsage>,
  configs: Pick<ObjectCache<ProviderConfig>, 'get'>,
  { kind, delayMs }: { readonly kind: string | undefined; readonly delayMs: (key: string) => number },
): Source {
  const map = (usage: ProviderConfigUsage) => {
    const key = configKeyOf(usage, kind);
    return key === undefined || configs.get(key) === undefined ? [] : [key];
  };
  return mapped(usages, map, { predicate: countsDifferently, delayMs });
}

/** Finalizers do not change the number of users. */
function countsDifferently(old: ProviderConfigUsage, usage: ProviderConfigUsage): boolean {
  const owned = (object: ProviderConfigUsage) => controllerOf(object) !== undefined;
  return !(
    owned(old) === owned(usage) &&
    jsonEqual(old.providerConfigRef, usage.providerConfigRef) &&
    jsonEqual(old.metadata.labels, usage.metadata.labels)
  );
}

/** Own writes are not relevant, except that others may remove the finalizer. */
function isRelevant(old: ProviderConfig, config: ProviderConfig): boolean {
  const { generation, finalizers = [] } = config.metadata;
  return (
    old.metadata.generation !== generation ||
    wasDeleted(old) !== wasDeleted(config) ||
    finalizers.length < (old.metadata.finalizers?.length ?? 0)
  );
}
