import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const SLOW_FILES: readonly string[] = [
  'reconciler/mothership/campaign',
  'reconciler/mothership/page',
  'chain/chain',
  'package/pods.long',
  'package/node.long',
  'cli/doctor/remedies.long',
  'reconciler/mothership/commands',
  'library/kit-in-crossplane.long',
  'library/library.long',
  'faults/outage.long',
  'tools/demo.long',
  'reconciler/mothership/races',
  'reconciler/components/workload-controllers',
  'safe-start/late-crds',
  'reconciler/components/mothership',
  'infrastructure-manager/remedies.long',
  'btp/remedies.long',
  'btp/chart/release.long',
  'faults/clocks.long',
  'inventory/sources/kubeconfig',
  'infrastructure-manager/kill.long',
  'infrastructure-manager/rendered-shoots.long',
  'btp/deletion',
  'cli/whole-cluster.long',
  'btp/service-bindings',
  'cli/plan',
  'infrastructure-manager/module',
  'control-planes/node.long',
  'faults/kill.long',
  'faults/unresponsive-hosts',
  'reconciler/components/server',
  'faults/kyma-cluster',
  'faults/etcd.long',
  'inventory/sources/source-cluster',
  'reconciler/kyma-cluster/kyma-cluster',
  'btp/hostile-inputs',
  'reconciler/components/kill.long',
  'faults/leadership',
  'upgrade/overlap.long',
  'upgrade/stored-state',
  'hardening/slow-hosts.long',
  'faults/shards.long',
  'inventory/requests/source-requests',
  'reconciler/mothership/database',
  'hardening/claims',
  'permissions/each-right.long',
  'faults/limits.long',
  'reconciler/components/deploy-crashes.long',
  'inventory/requests/steady-requests',
  'inventory/namespaced/deletion',
  'reconciler/mothership/api',
  'package/runtime.long',
  'faults/api-faults',
  'inventory/credentials/secrets-scan',
  'runtime/usage',
  'inventory/faults',
  'infrastructure-manager/runtime-life',
  'faults/failover-claims',
  'package/release.long',
  'hardening/hostile-watches',
  'reconciler/components/sources/git-sources',
  'faults/cut-watches',
  'tools/e2e.long',
  'reconciler/mothership/life-cycle',
  'reconciler/mothership/chart.long',
  'inventory/sources/sources',
  'btp/module',
  'btp/take-over/instances',
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
