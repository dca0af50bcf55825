import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const LONG_FILES: readonly string[] = [
  'reconciler/mothership/campaign',
  'reconciler/mothership/page',
  'chain/chain',
  'package/pods',
  'package/node',
  'cli/doctor/remedies',
  'reconciler/mothership/commands',
  'library/library',
  'faults/outage',
  'tools/demo',
  'reconciler/mothership/races',
  'reconciler/components/workload-controllers',
  'safe-start/late-crds',
  'reconciler/components/mothership',
  'infrastructure-manager/remedies',
  'btp/remedies',
  'btp/chart/release',
  'faults/clocks',
  'inventory/sources/kubeconfig',
  'infrastructure-manager/kill',
  'infrastructure-manager/rendered-shoots',
  'btp/deletion',
  'cli/whole-cluster',
  'btp/service-bindings',
  'cli/plan',
  'infrastructure-manager/module',
  'control-planes/node',
  'faults/kill',
  'faults/unresponsive-hosts',
  'reconciler/components/server',
  'faults/kyma-cluster',
  'faults/etcd',
  'inventory/sources/source-cluster',
  'reconciler/kyma-cluster/kyma-cluster',
  'btp/hostile-inputs',
  'reconciler/components/kill',
  'faults/leadership',
  'upgrade/overlap',
  'upgrade/stored-state',
  'hardening/slow-hosts',
  'faults/shards',
  'inventory/requests/source-requests',
  'reconciler/mothership/database',
  'hardening/claims',
  'permissions/each-right',
  'faults/limits',
  'reconciler/components/deploy-crashes',
  'inventory/requests/steady-requests',
  'inventory/namespaced/deletion',
  'reconciler/mothership/api',
  'package/runtime',
  'faults/api-faults',
  'inventory/credentials/secrets-scan',
  'runtime/usage',
  'inventory/faults',
  'infrastructure-manager/runtime-life',
  'faults/failover-claims',
  'package/release',
  'hardening/hostile-watches',
  'reconciler/components/sources/git-sources',
  'faults/cut-watches',
  'tools/e2e',
  'reconciler/mothership/life-cycle',
  'reconciler/mothership/chart',
  'inventory/sources/sources',
  'btp/module',
  'btp/take-over/instances',
];

/** The part of Jest's `Test` that the order depends on. */
export interface TestFile {
  readonly path: string;
}

/**
 * Starts long files first, then large ones, the same on every machine. Jest's own sequencer knows durations only where its
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
  const index = LONG_FILES.findIndex((file) => path.endsWith(`/test/integration/${file}.test.ts`));
  return index === -1 ? LONG_FILES.length : index;
}
