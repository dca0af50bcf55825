import type { Runtime } from '../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { isPartial, keepSmallParts } from '../../../framework/kube/index.ts';

const keepSmall = keepSmallParts('kyma-project.io/');

/**
 * The transform of the cache: users may write a megabyte into each of hundreds of Runtimes. Of a large one it keeps what indexes, metrics
 * and the owners of Shoots need; a reconcile reads it.
 */
export function smallRuntime(runtime: Runtime): Runtime {
  const { shoot } = runtime.spec ?? {};
  const small = keepSmall(runtime);
  if (!isPartial(small) || small.spec === undefined || shoot === undefined) return small;
  const { name, purpose, region, platformRegion, secretBindingName, networking, provider } = shoot;
  const kept = { name, purpose, region, platformRegion, secretBindingName };
  // Ranges of addresses: each of its texts has a bound.
  const { nodes, pods, services } = networking;
  return Object.assign(small, {
    spec: {
      ...small.spec,
      shoot: {
        ...kept,
        networking: { nodes, pods, services },
        provider: { type: provider.type, workers: [] },
      },
    },
  });
}
