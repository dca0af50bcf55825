import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const LONG_FILES: readonly string[] = [
  'chain/chain',
  'package/pods',
  'package/node',
  'cli/doctor/remedies',
  'reconciler/kyma-cluster',
  'faults/outage',
  'runtime/two-clusters',
  'gardener/kill',
  'faults/kill',
  'mothership/query-plans',
  'faults/unresponsive-hosts',
  'tools/demo',
  'btp/remedies',
  'components/workload-controllers',
  'gardener/remedies',
  'faults/clocks',
  'btp/hostile-inputs',
  'components/mothership',
  'mapping/sources/kubeconfig',
  'hardening/slow-hosts',
  'control-planes/node',
  'btp/chart/release',
  'package/release',
  'mapping/sources/sources',
  'faults/limits',
  'mapping/sources/source-cluster',
  'mapping/requests/source-requests',
  'faults/etcd',
  'components/server',
  'upgrade/stored-state',
  'btp/deletion',
  'btp/service-bindings',
  'faults/shards',
  'mothership/races',
  'mothership/page',
  'components/kill',
  'safe-start/late-crds',
  'faults/kyma-cluster',
  'gardener/rendered-shoots',
  'upgrade/overlap',
  'gardener/module',
  'mothership/database',
  'faults/leadership',
  'hardening/claims',
  'mothership/api',
  'cli/plan',
  'cli/whole-cluster',
  'runtime/usage',
  'btp/module',
  'faults/failover-claims',
  'mapping/credentials/secrets-scan',
  'mapping/namespaced/deletion',
  'mapping/requests/steady-requests',
  'faults/api-faults',
  'btp/take-over/instances',
  'hardening/endless-responses',
  'mothership/kill-points',
  'examples/gitops/phases',
  'model/model',
  'cli/doctor/permissions',
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
