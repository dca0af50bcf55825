import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const SLOW_FILES: readonly string[] = [
  'chain/chain',
  'reconciler/mothership/campaign/campaign',
  'reconciler/components/workload-controllers.long',
  'hardening/hostile-watches',
  'package/pods.long',
  'package/node.long',
  'cli/doctor/remedies.long',
  'inventory/sources/source-cluster.long',
  'library/kit-in-crossplane.long',
  'library/library.long',
  'tools/demo.long',
  'reconciler/mothership/races.long',
  'btp/deletion',
  'reconciler/components/mothership',
  'reconciler/mothership/commands',
  'infrastructure-manager/remedies.long',
  'btp/remedies.long',
  'btp/chart/release.long',
  'safe-start/late-crds',
  'infrastructure-manager/rendered-shoots.long',
  'infrastructure-manager/module',
  'cli/whole-cluster.long',
  'reconciler/components/server',
  'faults/unresponsive-hosts',
  'upgrade/stored-state',
  'control-planes/node.long',
  'reconciler/mothership/page',
  'btp/service-bindings',
  'faults/etcd.long',
  'faults/kyma-cluster',
  'reconciler/kyma-cluster/kyma-cluster',
  'btp/hostile-inputs.long',
  'faults/leadership',
  'upgrade/overlap.long',
  'inventory/credentials/secrets-scan',
  'infrastructure-manager/newer-gardener.long',
  'library/authors-walk.long',
  'library/control-plane.long',
  'library/kit-dev.long',
  'faults/shards.long',
  'permissions/each-right.long',
  'faults/limits.long',
  'reconciler/components/deploy-crashes.long',
  'infrastructure-manager/runtime-life',
  'package/runtime.long',
  'hardening/claims',
  'reconciler/mothership/api',
  'cli/plan',
  'runtime/usage',
  'infrastructure-manager/shoot-changes',
  'inventory/requests/steady-requests',
  'package/release.long',
  'inventory/namespaced/deletion',
  'reconciler/components/sources/git-sources',
  'reconciler/components/local',
  'inventory/sources/kubeconfig',
  'reconciler/mothership/chart.long',
  'reconciler/mothership/database',
  'faults/failover-claims',
  'faults/api-faults',
  'reconciler/components/deploy',
  'reconciler/mothership/life-cycle',
  'btp/take-over/instances',
  'reconciler/mothership/api-access',
  'library/kit-provider',
  'model/model',
  'reconciler/mothership/failover',
  'contract/kubernetes',
  'contract/gardener',
  'library/hello-image.long',
  'btp/module',
  'inventory/credentials/limited-visibility',
  'faults/kill-steps',
  'inventory/conflict',
];

/** The part of Jest's `Test` that the order depends on. */
export interface TestFile {
  readonly path: string;
}

/**
 * Starts slow files first, then large ones, the same on every machine. Jest's own sequencer knows durations only where its
 * cache is warm, so not in a fresh clone.
 */
export default class Sequencer {
  sort<T extends TestFile>(tests: Iterable<T>): T[] {
    return [...tests]
      .map((test) => ({ test, rank: rankOf(test), size: statSync(test.path).size }))
      .sort((a, b) => a.rank - b.rank || b.size - a.size)
      .map(({ test }) => test);
  }

  /** Called by Jest at the end of a run. Nothing is kept. */
  cacheResults(): void {}
}

function rankOf({ path }: TestFile): number {
  const index = SLOW_FILES.findIndex((file) => path.endsWith(`/test/integration/${file}.test.ts`));
  return index === -1 ? SLOW_FILES.length : index;
}
