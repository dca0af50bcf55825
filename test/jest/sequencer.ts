import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const LONG_FILES: readonly string[] = [
  'tools/demo',
  'chain/chain',
  'components/kill',
  'faults/outage',
  'package/pods',
  'runtime/two-clusters',
  'hardening/slow-hosts',
  'components/mothership',
  'components/workload-controllers',
  'mothership/races',
  'reconciler/kyma-cluster',
  'faults/clocks',
  'hardening/claims',
  'hardening/hostile-watches',
  'btp/deletion',
  'faults/etcd',
  'gardener/kill',
  'safe-start/late-crds',
  'components/server',
  'btp/chart/release',
  'mapping/requests/source-requests',
  'upgrade/stored-state',
  'faults/kill',
  'faults/unresponsive-hosts',
  'btp/service-bindings',
  'model/model',
  'control-planes/node',
  'mothership/kill-points',
  'mothership/api',
  'faults/limits',
  'faults/kyma-cluster',
  'upgrade/overlap',
  'mothership/database',
  'gardener/rendered-shoots',
  'faults/leadership',
  'package/node',
  'mothership/life-cycle',
  'gardener/runtime-life',
  'mothership/query-plans',
  'mothership/page',
  'btp/hostile-inputs',
  'mapping/requests/steady-requests',
  'mapping/sources/source-cluster',
  'cli/doctor/remedies',
  'gardener/module',
  'gardener/remedies',
  'faults/shards',
  'mapping/sources/kubeconfig',
  'btp/take-over/instances',
  'btp/module',
  'mapping/namespaced/deletion',
  'runtime/usage',
  'faults/failover-claims',
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
