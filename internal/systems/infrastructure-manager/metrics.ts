/** Metrics of Runtimes and GardenerClusters, by the names of the Kyma infrastructure manager: series of gauges, one for each object. */

import type { GardenerCluster } from '../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Runtime } from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { cutText, type Deps, type Gauge, jsonEqual } from '../../framework/base/index.ts';
import { OTHER } from '../../framework/base/telemetry/bounded-label.ts';
import { keyOf, keyString, type ObjectCache } from '../../framework/kube/index.ts';
import { labelShootName } from './gardenercluster/metadata.ts';
import type { Rotation } from './gardenercluster/rotation.ts';
import { labels } from './metadata.ts';

/** In characters: a label is kept in memory, and sent with each scrape. */
const MAX_LABEL = 256;

const labelText = (text: string): string => cutText(text, MAX_LABEL);

export type LabelValues = Readonly<Record<string, string>>;

/** Objects with a series of their own: their users choose names and messages. */
const MAX_OBJECTS = 20_000;

/** One series for each object, replaced when its labels change. All objects beyond the limit share one, whose value is their number. */
export interface ObjectSeries {
  set(key: string, labels: LabelValues, value: number): void;
  remove(key: string): void;
  clear(): void;
}

export function objectSeries(gauge: Gauge, max = MAX_OBJECTS): ObjectSeries {
  const shown = new Map<string, LabelValues>();
  const others = new Set<string>();
  let labelsOfOthers: LabelValues = {};
  const countOthers = () => {
    if (others.size > 0) gauge.set(others.size, labelsOfOthers);
    else gauge.remove(labelsOfOthers);
  };
  const remove = (key: string) => {
    if (others.delete(key)) countOthers();
    const labels = shown.get(key);
    if (labels !== undefined) gauge.remove(labels);
    shown.delete(key);
  };
  return {
    remove,
    set: (key, labels, value) => {
      const known = shown.get(key);
      // Most updates of an object change none.
      if (known !== undefined && jsonEqual(known, labels)) return gauge.set(value, known);
      remove(key);
      if (shown.size < max) {
        shown.set(key, labels);
        gauge.set(value, labels);
        return;
      }
      labelsOfOthers = Object.fromEntries(Object.keys(labels).map((name) => [name, OTHER]));
      others.add(key);
      countOthers();
    },
    clear: () => {
      for (const key of [...shown.keys(), ...others]) remove(key);
    },
  };
}

/**
 * One series for each Runtime with its state and the message of its last condition, while the cache has it. Runtimes without an ID
 * have none. Returns the function that ends it.
 */
export function runtimeStates(cache: ObjectCache<Runtime>, { metrics }: Pick<Deps, 'metrics'>): () => void {
  const series = objectSeries(
    metrics.gauge({
      name: 'infrastructure_manager_im_runtime_state',
      help: '1 for each Runtime, with its state and the message of its last condition.',
      labels: ['runtimeId', 'runtimeName', 'shoot', 'provider', 'state', 'message'],
    }),
  );
  const end = cache.subscribe(({ type, object }) => {
    const key = keyString(keyOf(object));
    const values = type === 'deleted' ? undefined : labelsOf(object);
    if (values === undefined) series.remove(key);
    else series.set(key, values, 1);
  });
  return () => {
    end();
    series.clear();
  };
}

function labelsOf({ metadata, spec, status }: Runtime): LabelValues | undefined {
  const runtimeId = metadata.labels?.[labels.runtimeId];
  if (runtimeId === undefined) return undefined;
  const message = status?.conditions?.at(-1)?.message || 'No value';
  return {
    runtimeId: labelText(runtimeId),
    runtimeName: metadata.name,
    shoot: spec?.shoot.name ?? '',
    provider: spec?.shoot.provider.type ?? '',
    state: status?.state ?? '',
    message: labelText(message),
  };
}

const identityOf = ({ metadata, spec }: GardenerCluster): LabelValues => ({
  runtimeId: labelText(metadata.labels?.[labels.runtimeId] ?? metadata.name),
  shoot: labelText(metadata.labels?.[labelShootName] ?? spec.shoot.name),
});

/** The state of each GardenerCluster while the cache has it. Returns the function that ends it. */
export function clusterStates(
  cache: ObjectCache<GardenerCluster>,
  { metrics }: Pick<Deps, 'metrics'>,
): () => void {
  const series = objectSeries(
    metrics.gauge({
      name: 'infrastructure_manager_im_gardener_clusters_state',
      help: '1 for each GardenerCluster, with its state and the reason of its condition.',
      labels: ['runtimeId', 'shoot', 'state', 'reason'],
    }),
  );
  const end = cache.subscribe(({ type, object }) => {
    const key = keyString(keyOf(object));
    const { state = '', conditions = [] } = object.status ?? {};
    if (type === 'deleted') series.remove(key);
    else series.set(key, { ...identityOf(object), state, reason: conditions[0]?.reason ?? '' }, 1);
  });
  return () => {
    end();
    series.clear();
  };
}

/** When the kubeconfig of each GardenerCluster expires. */
export interface KubeconfigExpirations {
  show(cluster: GardenerCluster, rotation: Rotation): void;
  /** @param key of the GardenerCluster */
  remove(key: string): void;
  clear(): void;
}

export function kubeconfigExpirations({ metrics }: Pick<Deps, 'metrics'>): KubeconfigExpirations {
  const series = objectSeries(
    metrics.gauge({
      name: 'infrastructure_manager_im_kubeconfig_expiration',
      help: 'When the kubeconfig of each GardenerCluster expires, in seconds since the epoch.',
      labels: ['runtimeId', 'shoot', 'expires', 'rotationDuration', 'expirationDuration'],
    }),
  );
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return {
    remove: series.remove,
    clear: series.clear,
    show: (cluster, { expiresAt, periodMs, lifetimeMs }) =>
      series.set(
        keyString(keyOf(cluster)),
        {
          ...identityOf(cluster),
          expires: String(seconds(expiresAt)),
          rotationDuration: String(seconds(periodMs)),
          expirationDuration: String(seconds(lifetimeMs)),
        },
        seconds(expiresAt),
      ),
  };
}
