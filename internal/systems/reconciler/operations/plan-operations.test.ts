import { describe, expect, test } from '@jest/globals';
import { type OperationState, type OperationType, skippedComponents } from './operation.ts';
import { currentGroup, type PlanInput, planOperations, processable, resultOf } from './plan-operations.ts';

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

/** Operations written as `priority state`, e.g. `1 done`. */
function operations(texts: readonly string[], type: OperationType = 'reconcile') {
  return texts.map((text, index) => {
    const [priority = '', state = ''] = text.split(' ');
    return { priority: Number(priority), state: state as OperationState, type, name: String(index) };
  });
}

const names = (found: readonly { readonly name: string }[]) => found.map(({ name }) => name).join('');

describe('[R18] processable', () => {
  test.each<{ what: string; given: string[]; type?: OperationType; limit?: number; found: string }>([
    { what: 'the lowest priority first', given: ['1 new', '2 new', '1 new'], found: '02' },
    {
      what: 'the highest priority first in a deletion',
      given: ['1 new', '2 new', '3 new'],
      type: 'delete',
      found: '2',
    },
    {
      what: 'an orphan and a client error count',
      given: ['1 orphan', '1 client_error', '2 new'],
      found: '01',
    },
    { what: 'the next group when all are done', given: ['1 done', '1 done', '2 new'], found: '2' },
    { what: 'a running one holds the next group', given: ['1 done', '1 in_progress', '2 new'], found: '' },
    { what: 'a failed attempt holds it too', given: ['1 failed', '2 new'], found: '' },
    { what: 'an error of the group: none', given: ['1 error', '1 new', '2 new'], found: '' },
    { what: 'an error in a deletion: none', given: ['1 new', '2 error'], type: 'delete', found: '' },
    { what: 'all done', given: ['1 done', '2 done'], found: '' },
    { what: 'no operations', given: [], found: '' },
    ...[4, 3, 2, 1].map((limit) => ({
      what: `limit ${limit}`,
      given: ['1 new', '1 new', '1 new', '1 new'],
      limit,
      found: '0123'.slice(0, limit),
    })),
    {
      what: 'running ones take from the limit',
      given: ['1 in_progress', '1 failed', '1 new', '1 new'],
      limit: 3,
      found: '2',
    },
    { what: 'a client error does not', given: ['1 client_error', '1 new'], limit: 2, found: '01' },
  ])('$what', ({ given, type, limit = 10, found }) => {
    expect(names(processable(operations(given, type), limit))).toBe(found);
  });
});

test('the current group: what is not done of the first open priority', () => {
  expect(names(currentGroup(operations(['1 done', '2 new', '2 done', '3 new'])))).toBe('1');
  expect(names(currentGroup(operations(['1 new', '2 error', '3 done'], 'delete')))).toBe('1');
});

describe('[R31] result', () => {
  test.each<{ states: OperationState[]; reconcile: string; deletion: string }>([
    { states: ['new', 'new'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['error', 'in_progress'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['error', 'new', 'orphan', 'done'], reconcile: 'error', deletion: 'delete_error' },
    { states: ['failed', 'new'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['client_error', 'error'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['done', 'in_progress'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['done', 'orphan'], reconcile: 'reconciling', deletion: 'deleting' },
    { states: ['done', 'done'], reconcile: 'ready', deletion: 'deleted' },
    { states: ['error', 'done'], reconcile: 'error', deletion: 'delete_error' },
  ])('$states: $reconcile, $deletion', ({ states, reconcile, deletion }) => {
    const of = (type: OperationType) => resultOf(states.map((state) => ({ state, type })));
    expect([of('reconcile'), of('delete')]).toEqual([reconcile, deletion]);
  });

  test('no operations are an error; one that is no deletion makes all of it none', () => {
    expect(resultOf([])).toBe('error');
    expect(
      resultOf([
        { state: 'done', type: 'delete' },
        { state: 'done', type: 'reconcile' },
      ]),
    ).toBe('ready');
  });
});
