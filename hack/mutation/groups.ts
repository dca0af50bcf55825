import { matchesGlob } from 'node:path';

/** Source files whose mutants one run of Stryker makes, and the unit tests that must notice them. */
export interface MutationGroup {
  readonly name: string;
  /** Patterns of source files, from the root of the repository. Tests and generated files never count. */
  readonly mutate: readonly string[];
  /** Patterns of test files. */
  readonly tests: readonly string[];
}

const WITHOUT = ['!**/*.{test,fixture,gen}.ts', '!**/index.ts'];

const group = (name: string, mutate: readonly string[], tests: readonly string[]): MutationGroup => ({
  name,
  mutate: [...mutate, ...WITHOUT],
  tests,
});

/** Small on purpose: a run takes the time of all tests of the group for each mutant that no test notices. */
export const MUTATION_GROUPS: readonly MutationGroup[] = [
  group('queue', ['internal/controller/queue/*.ts'], ['internal/controller/queue/*.test.ts']),
  group(
    'limiter',
    [
      'internal/base/concurrency/{concurrency-limiter,bucket-queue,limit-slots,priority-throttle}.ts',
      'internal/base/concurrency/{token-bucket,limit-key}.ts',
    ],
    ['internal/base/concurrency/{bucket-queue,concurrency-limiter,limit-key,token-bucket}*.test.ts'],
  ),
  group(
    'shared-calls',
    ['internal/base/concurrency/{shared-calls,abandonable}.ts', 'internal/kube/client/shared-reads.ts'],
    [
      'internal/base/concurrency/{shared-calls,abandonable}.test.ts',
      'internal/kube/client/shared-reads.property.test.ts',
    ],
  ),
  group(
    'reconciler',
    ['internal/managed/*.ts', 'internal/managed/steps/**/*.ts'],
    // Without the property tests beside them, which take most of the time and reach nearly every mutant.
    [
      'internal/managed/{managed-controller,second-kind,relevant-update}.test.ts',
      'internal/managed/any-reconciler/{no-failure,undo-create,watches}.test.ts',
      'internal/managed/{scenarios,steps}/**/*.test.ts',
    ],
  ),
  group(
    'policies',
    ['internal/managed/kind/*.ts'],
    ['internal/managed/kind/*.test.ts', 'internal/managed/scenarios/policies.property.test.ts'],
  ),
  group(
    'claims',
    ['internal/controllers/inventory/mapping/claims/*.ts'],
    ['internal/controllers/inventory/mapping/{claims/*,mapping-client*}.test.ts'],
  ),
  group(
    'retry',
    ['internal/http/retry/*.ts', 'internal/http/limits/*.ts', 'internal/base/time/backoff.ts'],
    ['internal/http/{retry,limits}/*.test.ts', 'internal/base/time/backoff.test.ts'],
  ),
  group(
    'parsers-json',
    [
      'internal/base/json/*.ts',
      'internal/base/time/{duration,timestamp}.ts',
      'internal/kube/client/{json-lines,resource-path}.ts',
      'internal/kube/object/structural-schema.ts',
    ],
    [
      'internal/base/json/*.test.ts',
      'internal/base/time/{duration,timestamp}.test.ts',
      'internal/kube/client/{json-lines,resource-path}.test.ts',
      'internal/kube/object/structural-schema.test.ts',
    ],
  ),
  group('parsers-kubeconfig', ['internal/kube/config/*.ts'], ['internal/kube/config/*.test.ts']),
  group(
    'parsers-inputs',
    [
      'internal/controllers/inventory/instancemapping/admin-credentials.ts',
      'internal/controllers/inventory/kymainstancemapping/inputs/*.ts',
      'internal/controllers/inventory/mapping/identity/*.ts',
    ],
    [
      'internal/controllers/inventory/instancemapping/admin-credentials.test.ts',
      'internal/controllers/inventory/kymainstancemapping/inputs/*.test.ts',
      'internal/controllers/inventory/mapping/identity/*.test.ts',
    ],
  ),
  group(
    'service-instances',
    ['internal/controllers/btp/serviceinstance/**/*.ts'],
    [
      'internal/controllers/btp/serviceinstance/**/*.test.ts',
      'internal/controllers/btp/operations/*.test.ts',
    ],
  ),
  group(
    'service-bindings',
    ['internal/controllers/btp/servicebinding/**/*.ts'],
    ['internal/controllers/btp/servicebinding/**/*.test.ts', 'internal/controllers/btp/operations/*.test.ts'],
  ),
  group(
    'service-operations',
    ['internal/controllers/btp/operations/*.ts', 'internal/controllers/btp/status/*.ts'],
    [
      'internal/controllers/btp/{operations,status}/*.test.ts',
      'internal/controllers/btp/{serviceinstance,servicebinding}/reconciler.*.test.ts',
    ],
  ),
  group(
    'btp-credentials',
    ['internal/controllers/btp/credentials/*.ts'],
    ['internal/controllers/btp/credentials/*.test.ts'],
  ),
];

/** The groups whose sources or tests have one of these files, given by their paths from the root of the repository. */
export function groupsWith(files: readonly string[]): readonly MutationGroup[] {
  const has = (patterns: readonly string[], path: string) => {
    const excluded = patterns.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
    return (
      patterns.some((each) => !each.startsWith('!') && matchesGlob(path, each)) &&
      !excluded.some((each) => matchesGlob(path, each))
    );
  };
  return MUTATION_GROUPS.filter(({ mutate, tests }) =>
    files.some((path) => has(mutate, path) || has(tests, path)),
  );
}
