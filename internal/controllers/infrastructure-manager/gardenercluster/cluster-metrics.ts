/** Metrics of GardenerClusters, by the names of the Kyma infrastructure manager. */
import type { GardenerCluster } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/gardenercluster.gen.ts';
import type { Deps } from '../../../base/deps.ts';
import type { Gauge } from '../../../base/telemetry/metrics.ts';
import { cutText } from '../../../base/text/text.ts';
import { keyOf, keyString, type ObjectCache } from '../../../kube/index.ts';
import { labelRuntimeId, labelShootName } from './metadata.ts';
import type { Rotation } from './rotation.ts';

/** In characters: a label is kept in memory, and sent with each scrape. */
const MAX_LABEL = 256;

type Labels = Readonly<Record<string, string>>;

/** One series for each object, replaced when its labels change. */
interface ObjectSeries {
  set(key: string, labels: Labels, value: number): void;
  remove(key: string): void;
  clear(): void;
}

function objectSeries(gauge: Gauge): ObjectSeries {
  const shown = new Map<string, Labels>();
  const remove = (key: string) => {
    const labels = shown.get(key);
    if (labels !== undefined) gauge.remove(labels);
    shown.delete(key);
  };
  return {
    remove,
    set: (key, labels, value) => {
      remove(key);
      shown.set(key, labels);
      gauge.set(value, labels);
    },
    clear: () => {
      for (const key of [...shown.keys()]) remove(key);
    },
  };
}

const identityOf = ({ metadata, spec }: GardenerCluster): Labels => ({
  runtimeId: cutText(metadata.labels?.[labelRuntimeId] ?? metadata.name, MAX_LABEL),
  shootName: cutText(metadata.labels?.[labelShootName] ?? spec.shoot.name, MAX_LABEL),
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
      labels: ['runtimeId', 'shootName', 'state', 'reason'],
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
      labels: ['runtimeId', 'shootName', 'expires', 'rotationDuration', 'expirationDuration'],
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
