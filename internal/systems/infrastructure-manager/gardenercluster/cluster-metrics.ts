/** Metrics of GardenerClusters, by the names of the Kyma infrastructure manager. */
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Deps } from '../../../framework/base/index.ts';

import { keyOf, keyString, type ObjectCache } from '../../../framework/kube/index.ts';
import { labels } from '../metadata.ts';
import { type LabelValues, labelText, objectSeries } from '../object-series.ts';
import { labelShootName } from './metadata.ts';
import type { Rotation } from './rotation.ts';

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
