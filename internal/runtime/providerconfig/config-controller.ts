import { jsonEqual } from '../../base/json-equal.ts';
import type { Metrics } from '../../base/metrics.ts';
import type { Tracer } from '../../base/tracer.ts';
import type { CacheEvent, ObjectCache } from '../../kube/cache.ts';
import type { ResourceType } from '../../kube/resource-type.ts';
import { type Controller, createController } from '../controller.ts';
import { wasDeleted } from '../managed/meta.ts';
import { createOwnWrites } from '../own-writes.ts';
import { controllerOf } from '../ownership.ts';
import { cacheSource, type Source } from '../source.ts';
import { type ConfigReconcilerOptions, createConfigReconciler } from './config-reconciler.ts';
import { configKeyOf } from './config-users.ts';
import type { ProviderConfig } from './provider-config.ts';
import type { ProviderConfigUsage } from './usage.ts';

export interface ConfigControllerOptions extends Omit<ConfigReconcilerOptions, 'read' | 'onWritten'> {
  /** The configurations of the type. */
  readonly cache: ObjectCache<ProviderConfig>;
  readonly metrics: Metrics;
  /** Default: none. */
  readonly tracer?: Tracer;
}

const TIMEOUT_MS = 120_000;

/** Users come and go in crowds; a configuration shows their number this often at most, in ms. */
const MIN_GAP_MS = 1000;

/** As controllers are named: `providerconfig/providerconfig.example.org`. */
export const configControllerName = ({ kind, group }: ResourceType): string =>
  `providerconfig/${kind}.${group}`.toLowerCase();

/** The controller of one type of provider configurations. */
export function createConfigController(options: ConfigControllerOptions): Controller {
  const { type, kinds, cache, usageCache, clock } = options;
  const ownWrites = createOwnWrites<ProviderConfig>();
  const kind = kinds.generation === 'modern' ? type.kind : undefined;
  /** When each configuration was looked at last. */
  const looks = new Map<string, number>();
  const reconcile = createConfigReconciler({
    ...options,
    read: (key) => ownWrites.newest(key, cache.get(key)),
    onWritten: (stored) => ownWrites.wrote(stored, false),
  });
  const usageSource: Source = {
    start: () =>
      usageCache.subscribe((event) => {
        for (const key of configsOf(event, kind)) {
          if (cache.get(key) === undefined) continue;
          const notBefore = (looks.get(key) ?? Number.NEGATIVE_INFINITY) + MIN_GAP_MS;
          controller.enqueueAfter(key, Math.max(0, notBefore - clock.monotonic()));
        }
      }),
    hasSynced: () => usageCache.hasSynced(),
    problem: () => usageCache.problem?.(),
    whenSynced: (signal) => usageCache.whenSynced(signal),
  };
  const controller = createController({
    ...options,
    name: configControllerName(type),
    sources: [cacheSource(cache, { accepts: isNews }), usageSource],
    reconcile: async (key, signal, occasion) => {
      if (cache.get(key) === undefined) looks.delete(key);
      else looks.set(key, clock.monotonic());
      return reconcile(key, signal, occasion);
    },
    timeoutMs: TIMEOUT_MS,
  });
  return controller;
}

/** Keys of the configurations whose users change with a usage: after a change of its reference, both. */
export function configsOf(event: CacheEvent<ProviderConfigUsage>, kind: string | undefined): string[] {
  if (event.type === 'updated' && countsAlike(event.old, event.object)) return [];
  const usages = event.type === 'updated' ? [event.old, event.object] : [event.object];
  const keys = usages.flatMap((usage) => configKeyOf(usage, kind) ?? []);
  return [...new Set(keys)];
}

/** A finalizer that comes or goes changes no number. */
function countsAlike(old: ProviderConfigUsage, usage: ProviderConfigUsage): boolean {
  const owned = (object: ProviderConfigUsage) => controllerOf(object) !== undefined;
  return (
    owned(old) === owned(usage) &&
    jsonEqual(old.providerConfigRef, usage.providerConfigRef) &&
    jsonEqual(old.metadata.labels, usage.metadata.labels)
  );
}

/** What we write ourselves is none, except that somebody else may take our finalizer away. */
function isNews(old: ProviderConfig, config: ProviderConfig): boolean {
  const { generation, finalizers = [] } = config.metadata;
  return (
    old.metadata.generation !== generation ||
    wasDeleted(old) !== wasDeleted(config) ||
    finalizers.length < (old.metadata.finalizers?.length ?? 0)
  );
}
