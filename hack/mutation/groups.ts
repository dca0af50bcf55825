import { glob } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

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

/** Of ServiceInstances and ServiceBindings. */
const TESTS_OF_BOTH_KINDS = [
  'internal/systems/btp/{drift,operations,status,watched-secrets}/*.test.ts',
] as const;

/** Small on purpose: a run takes the time of all tests of the group for each mutant that no test notices. */
export const MUTATION_GROUPS: readonly MutationGroup[] = [
  group(
    'queue',
    ['internal/framework/controller/queue/*.ts'],
    ['internal/framework/controller/queue/*.test.ts'],
  ),
  group(
    'limiter',
    [
      'internal/framework/base/concurrency/{concurrency-limiter,bucket-queue}.ts',
      'internal/framework/base/concurrency/{token-bucket,limit-key}.ts',
    ],
    [
      'internal/framework/base/concurrency/{bucket-queue,concurrency-limiter,limit-key,token-bucket}*.test.ts',
    ],
  ),
  group(
    'shared-calls',
    [
      'internal/framework/base/concurrency/{shared-calls,abandonable}.ts',
      'internal/framework/kube/client/shared-reads.ts',
    ],
    [
      'internal/framework/base/concurrency/{shared-calls,abandonable}.test.ts',
      'internal/framework/kube/client/shared-reads.*.test.ts',
    ],
  ),
  group(
    'reconciler',
    ['internal/framework/managed/*.ts', 'internal/framework/managed/steps/**/*.ts'],
    // Without the property tests beside them, which take most of the time and reach nearly every mutant.
    [
      'internal/framework/managed/{managed-controller,on-demand,provider,second-kind,relevant-update}.test.ts',
      'internal/framework/managed/any-reconciler/{no-failure,undo-create,watches}.test.ts',
      'internal/framework/managed/{scenarios,steps}/**/*.test.ts',
    ],
  ),
  group(
    'policies',
    ['internal/framework/managed/kind/*.ts'],
    [
      'internal/framework/managed/kind/*.test.ts',
      'internal/framework/managed/scenarios/policies.property.test.ts',
    ],
  ),
  group(
    'claims',
    ['internal/framework/managed/claims/*.ts', 'internal/systems/inventory/mapping/claims/*.ts'],
    [
      'internal/framework/managed/claims/*.test.ts',
      'internal/systems/inventory/mapping/{claims/*,mapping-client*}.test.ts',
    ],
  ),
  group(
    'retry',
    [
      'internal/framework/http/retry/*.ts',
      'internal/framework/http/limits/*.ts',
      'internal/framework/base/time/backoff.ts',
    ],
    ['internal/framework/http/{retry,limits}/*.test.ts', 'internal/framework/base/time/backoff.test.ts'],
  ),
  group(
    'parsers-json',
    [
      'internal/framework/base/json/*.ts',
      'internal/framework/base/time/formats.ts',
      'internal/framework/kube/client/{json-lines,resource-path}.ts',
      'internal/framework/kube/object/structural-schema.ts',
    ],
    [
      'internal/framework/base/json/*.test.ts',
      'internal/framework/base/time/formats.test.ts',
      'internal/framework/kube/client/{json-lines,resource-path}.test.ts',
      'internal/framework/kube/object/structural-schema.test.ts',
    ],
  ),
  group(
    'parsers-kubeconfig',
    ['internal/framework/kube/config/*.ts'],
    [
      'internal/framework/kube/config/*.test.ts',
      'internal/framework/kube/cluster/cluster-pool.failures.test.ts',
      'internal/framework/kube/transport/transport.test.ts',
      'internal/systems/reconciler/commands/local/local-request.test.ts',
    ],
  ),
  group(
    'parsers-inputs',
    [
      'internal/systems/inventory/instancemapping/admin-credentials.ts',
      'internal/systems/inventory/kymainstancemapping/inputs/*.ts',
      'internal/systems/inventory/mapping/mapping-identity.ts',
    ],
    [
      'internal/systems/inventory/instancemapping/admin-credentials.test.ts',
      'internal/systems/inventory/kymainstancemapping/inputs/*.test.ts',
      'internal/systems/inventory/mapping/mapping-identity.test.ts',
    ],
  ),
  group(
    'service-instances',
    ['internal/systems/btp/serviceinstance/**/*.ts'],
    [
      'internal/systems/btp/serviceinstance/**/*.test.ts',
      'internal/systems/btp/servicebinding/reconciler.instances.test.ts',
      ...TESTS_OF_BOTH_KINDS,
    ],
  ),
  group(
    'service-bindings',
    ['internal/systems/btp/servicebinding/**/*.ts'],
    ['internal/systems/btp/servicebinding/**/*.test.ts', ...TESTS_OF_BOTH_KINDS],
  ),
  group(
    'service-operations',
    ['internal/systems/btp/operations/*.ts', 'internal/systems/btp/status/*.ts'],
    [
      'internal/systems/btp/{operations,status}/*.test.ts',
      'internal/systems/btp/{serviceinstance,servicebinding}/reconciler.*.test.ts',
    ],
  ),
  group(
    'btp-credentials',
    ['internal/systems/btp/credentials/*.ts'],
    [
      'internal/systems/btp/credentials/*.test.ts',
      'internal/systems/btp/operations/report-failure*.test.ts',
      // The watch of Secrets, which is the connector's only view of them, with the simulator.
      'test/contract/service-manager/credentials.test.ts',
    ],
  ),
];

/** The groups whose sources or tests have one of these files, given by their paths from the root of the repository. */
export const groupsWith = (files: readonly string[]): readonly MutationGroup[] =>
  MUTATION_GROUPS.filter(({ mutate, tests }) =>
    files.some((path) => isOneOf(path, mutate) || isOneOf(path, tests)),
  );

/** The files of the patterns, without those of patterns that begin with `!`. */
export async function filesOf(patterns: readonly string[]): Promise<readonly string[]> {
  const included = patterns.filter((each) => !each.startsWith('!'));
  const files: string[] = [];
  for await (const path of glob(included, { cwd: ROOT })) if (isOneOf(path, patterns)) files.push(path);
  return files.sort();
}

function isOneOf(path: string, patterns: readonly string[]): boolean {
  const excluding = patterns.filter((each) => each.startsWith('!')).map((each) => each.slice(1));
  const including = patterns.filter((each) => !each.startsWith('!'));
  const matches = (pattern: string) => matchesGlob(path, pattern);
  return including.some(matches) && !excluding.some(matches);
}
