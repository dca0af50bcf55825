import type { Deps } from '../../base/deps.ts';
import { jsonEqual } from '../../base/json/json-equal.ts';
import { type Controller, createController } from '../../controller/controller.ts';
import { createKeyStore } from '../../controller/key-store.ts';
import { createOwnObjects } from '../../controller/own-objects.ts';
import { mapped, type Source } from '../../controller/source.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import { controllerOf } from '../../kube/object/ownership.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import { type ConfigReconcilerOptions, createConfigReconciler } from './config-reconciler.ts';
import type { ProviderConfig, ProviderConfigUsage } from './model/provider-config.ts';
import { configKeyOf } from './usage/config-users.ts';

export interface ConfigControllerOptions
  extends Omit<ConfigReconcilerOptions, 'read' | 'onWritten'>,
    Pick<Deps, 'metrics' | 'tracer'> {
  /** The configurations of this type. */
  readonly cache: ObjectCache<ProviderConfig>;
}

const TIMEOUT_MS = 120_000;

/** Lower bound for the time between two reconciles of a configuration, in ms: many users may change at once. */
const MIN_DELAY_MS = 1000;

/** The name of a controller, e.g. `providerconfig/providerconfig.example.org`. */
export const configControllerName = ({ kind, group }: ResourceType): string =>
  `providerconfig/${kind}.${group}`.toLowerCase();

/** The controller of one type of provider configurations. */
export function createConfigController(options: ConfigControllerOptions): Controller {
  const { type, kinds, cache, usageCache, clock } = options;
  const keys = createKeyStore();
  const objects = createOwnObjects<ProviderConfig>({ cache, keys, predicate: isRelevant });
  const kind = kinds.scope === 'Namespaced' ? type.kind : undefined;
  /** Time of the last reconcile of each configuration, by the monotonic clock. */
  const reconciledAt = keys.values<number>('last reconcile');
  const reconcile = createConfigReconciler({
    ...options,
    read: objects.newest,
    onWritten: (stored) => objects.wrote(stored, false),
  });
  const delayMs = (key: string) => {
    const notBefore = (reconciledAt.get(key) ?? Number.NEGATIVE_INFINITY) + MIN_DELAY_MS;
    return Math.max(0, notBefore - clock.monotonic());
  };
  return createController({
    ...options,
    name: configControllerName(type),
    keys,
    sources: [objects.source, usedConfigs(usageCache, cache, { kind, delayMs })],
    reconcile: (key, signal, request) => {
      reconciledAt.set(key, clock.monotonic());
      return objects.reconciling(key, () => reconcile(key, signal, request));
    },
    timeoutMs: TIMEOUT_MS,
  });
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
