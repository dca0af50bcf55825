import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const SLOW_FILES: readonly string[] = [
  'reconciler/mothership/campaign',
  'chain/chain',
  'reconciler/components/workload-controllers.long',
  'reconciler/mothership/commands',
  'package/pods.long',
  'package/node.long',
  'cli/doctor/remedies.long',
  'inventory/sources/source-cluster.long',
  'library/kit-in-crossplane.long',
  'library/library.long',
  'faults/outage.long',
  'tools/demo.long',
  'reconciler/mothership/races.long',
  'infrastructure-manager/shoot-changes',
  'infrastructure-manager/module',
  'btp/deletion',
  'infrastructure-manager/remedies.long',
  'btp/remedies.long',
  'btp/chart/release.long',
  'faults/clocks.long',
  'upgrade/stored-state',
  'infrastructure-manager/kill.long',
  'infrastructure-manager/rendered-shoots.long',
  'reconciler/mothership/database',
  'cli/whole-cluster.long',
  'reconciler/mothership/page',
  'reconciler/components/mothership',
  'runtime/usage',
  'control-planes/node.long',
  'faults/kill.long',
  'safe-start/late-crds',
  'inventory/requests/source-requests.long',
  'inventory/conflict',
  'faults/etcd.long',
  'faults/unresponsive-hosts',
  'btp/service-bindings',
  'btp/hostile-inputs.long',
  'reconciler/components/kill.long',
  'reconciler/components/server',
  'upgrade/overlap.long',
  'inventory/faults',
  'hardening/slow-hosts.long',
  'infrastructure-manager/newer-gardener.long',
  'library/authors-walk.long',
  'library/control-plane.long',
  'library/kit-dev.long',
  'reconciler/mothership/operations-page.long',
  'faults/shards.long',
  'permissions/each-right.long',
  'faults/limits.long',
  'reconciler/components/deploy-crashes.long',
  'library/hello-provider',
  'package/runtime.long',
  'inventory/requests/steady-requests',
  'reconciler/mothership/api',
  'inventory/credentials/secrets-scan',
  'faults/kill-steps',
  'reconciler/mothership/api-access',
  'cli/plan',
  'package/release.long',
  'inventory/sources/sources',
  'reconciler/components/local',
  'faults/leadership',
  'tools/e2e.long',
  'infrastructure-manager/runtime-life',
  'reconciler/mothership/chart.long',
  'reconciler/kyma-cluster/kyma-cluster',
  'inventory/credentials/limited-visibility',
  'hardening/claims',
  'reconciler/components/sources/git-sources',
  'faults/kyma-cluster',
  'inventory/namespaced/deletion',
  'reconciler/mothership/kill-points',
  'hardening/hostile-watches',
  'reconciler/mothership/life-cycle',
  'reconciler/mothership/operator-commands',
  'examples/compositions/hana-database.long',
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
