/** Metrics of Runtimes, by the names of the Kyma infrastructure manager. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { Deps } from '../../../framework/base/index.ts';

import { keyOf, keyString, type ObjectCache } from '../../../framework/kube/index.ts';
import { labels } from '../metadata.ts';
import { type LabelValues, labelText, objectSeries } from '../object-series.ts';

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
