import { statSync } from 'node:fs';

/**
 * Integration test files that take longest, longest first. They mostly wait: for expiries, back-offs and the intervals of
 * Kubernetes' own controllers, or for control planes of their own. Started last, each of them would keep a worker at the
 * end while the others have nothing to do.
 */
export const LONG_FILES: readonly string[] = [
  'faults/shards',
  'faults/outage',
  'model/model',
  'faults/unresponsive-hosts',
  'hardening/endless-responses',
  'btp/chart/release',
  'package/pods',
  'package/node',
  'mothership/query-plans',
  'mothership/races',
  'mothership/api',
  'mothership/life-cycle',
  'mothership/rollouts',
  'gardener/runtime-life',
  'gardener/module',
  'examples/compositions/compositions',
  'upgrade/stored-state',
  'safe-start/late-crds',
  'tools/demo',
  'faults/leadership',
  'hardening/slow-hosts',
  'btp/chart/namespaced',
  'hardening/claims',
  'btp/tenants',
  'mapping/sources/source-cluster',
  'mapping/requests/source-requests',
  'cli/whole-cluster',
  'mapping/requests/steady-requests',
  'tools/e2e',
  'control-planes/node',
  'mapping/namespaced/deletion',
  'runtime/usage',
  'mapping/migration',
  'hardening/stale-watch',
  'upgrade/overlap',
  'examples/gitops/phases',
  'package/release',
  'package/runtime',
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
