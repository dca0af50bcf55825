/** Metrics of Runtimes, by the names of the Kyma infrastructure manager. */
import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { Deps } from '../../../base/deps.ts';
import { cutText } from '../../../base/text/text.ts';
import { keyOf, keyString, type ObjectCache } from '../../../kube/index.ts';
import { labelRuntimeId } from './metadata.ts';

/** In characters: a label is kept in memory, and sent with each scrape. */
const MAX_LABEL = 256;

/**
 * One series for each Runtime with its state and the message of its last condition, while the cache has it. Runtimes without an ID
 * have none. Returns the function that ends it.
 */
export function runtimeStates(cache: ObjectCache<Runtime>, { metrics }: Pick<Deps, 'metrics'>): () => void {
  const gauge = metrics.gauge({
    name: 'infrastructure_manager_im_runtime_state',
    help: '1 for each Runtime, with its state and the message of its last condition.',
    labels: ['runtimeId', 'runtimeName', 'shootName', 'provider', 'state', 'message'],
  });
  const shown = new Map<string, Readonly<Record<string, string>>>();
  const hide = (key: string) => {
    const labels = shown.get(key);
    if (labels === undefined) return;
    gauge.remove(labels);
    shown.delete(key);
  };
  const end = cache.subscribe(({ type, object }) => {
    const key = keyString(keyOf(object));
    hide(key);
    const labels = type === 'deleted' ? undefined : labelsOf(object);
    if (labels === undefined) return;
    shown.set(key, labels);
    gauge.set(1, labels);
  });
  return () => {
    end();
    for (const key of [...shown.keys()]) hide(key);
  };
}

function labelsOf({ metadata, spec, status }: Runtime): Readonly<Record<string, string>> | undefined {
  const runtimeId = metadata.labels?.[labelRuntimeId];
  if (runtimeId === undefined) return undefined;
  const message = status?.conditions?.at(-1)?.message || 'No value';
  return {
    runtimeId: cutText(runtimeId, MAX_LABEL),
    runtimeName: metadata.name,
    shootName: spec?.shoot.name ?? '',
    provider: spec?.shoot.provider.type ?? '',
    state: status?.state ?? '',
    message: cutText(message, MAX_LABEL),
  };
}
