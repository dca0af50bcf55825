import { expect, test } from '@jest/globals';
import { skippedComponents } from './operation.ts';
import { type PlanInput, planOperations } from './plan-operations.ts';

/** Components by group, each with its priority. */
function plan(names: readonly string[], input: Partial<PlanInput> = {}) {
  const operations = planOperations({
    components: names,
    type: 'reconcile',
    preComponents: [['Pre1'], ['Pre2']],
    deleteStrategy: 'system',
    ...input,
  });
  const groups: string[][] = [];
  for (const { component: name, priority } of operations) {
    groups[priority - 1] = [...(groups[priority - 1] ?? []), name];
  }
  return groups;
}

test.each<{ what: string; names: string[]; input?: Partial<PlanInput>; groups: string[][] }>([
  {
    what: '[R12] CRDs, each group of pre-components, the rest',
    names: ['c1', 'Pre2', 'c2', 'Pre1'],
    groups: [['CRDs'], ['Pre1'], ['Pre2'], ['c1', 'c2']],
  },
  {
    what: '[R12] a deletion has the cleaner after the CRDs',
    names: ['c1', 'Pre2', 'Pre1'],
    input: { type: 'delete' },
    groups: [['CRDs'], ['cleaner'], ['Pre1'], ['Pre2'], ['c1']],
  },
  {
    what: '[R12] a group with several members stays together',
    names: ['c1', 'Pre2', 'Pre1'],
    input: { preComponents: [['Pre1', 'Pre2']] },
    groups: [['CRDs'], ['Pre1', 'Pre2'], ['c1']],
  },
  {
    what: '[R12] pre-components that the cluster lacks drop out',
    names: ['c1', 'Pre2'],
    groups: [['CRDs'], ['Pre2'], ['c1']],
  },
  { what: 'only pre-components', names: ['Pre1'], groups: [['CRDs'], ['Pre1']] },
  { what: 'no components', names: [], groups: [['CRDs']] },
  {
    what: '[R13] migrated components and those of SKIP_COMPONENT are left out, unknown ones stay',
    names: ['istio', 'unknown', 'Pre1'],
    input: { skipped: new Set(['istio', 'Pre1', 'absent']) },
    groups: [['CRDs'], ['unknown']],
  },
  {
    what: '[R16] comp3 is a pre-component',
    names: ['comp1', 'comp2', 'comp3'],
    input: { preComponents: [['comp3']] },
    groups: [['CRDs'], ['comp3'], ['comp1', 'comp2']],
  },
  { what: 'a component twice is one operation', names: ['c1', 'c1', 'CRDs'], groups: [['CRDs'], ['c1']] },
])('$what', ({ names, input, groups }) => {
  expect(plan(names, input)).toEqual(groups);
});

test('the strategy of a deletion is part of the operation', () => {
  const input = { components: [], preComponents: [], type: 'delete', deleteStrategy: 'all' } as const;
  expect(planOperations(input)).toContainEqual({
    component: 'cleaner',
    priority: 2,
    parameters: { delete_strategy: 'all' },
  });
});

test('[R49] SKIP_COMPONENT_ variables: true and 1 count in any case, names in lower case with hyphens', () => {
  const env = {
    SKIP_COMPONENT_API_GATEWAY: 'tRue',
    SKIP_COMPONENT_ISTIO: '1',
    SKIP_COMPONENT_EVENTING: '0',
    SKIP_COMPONENT_LOGGING: 'truee',
    SKIP_COMPONENT_UNSET: undefined,
    OTHER: 'true',
  };
  expect(skippedComponents(env)).toEqual(['api-gateway', 'istio']);
});
