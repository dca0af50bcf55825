import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clusterWidgets, namespacedWidgets, widget } from '../fakes/managed-harness.ts';
import { type ManagementAction, resolvePolicies, supportedPolicySets } from './policies.ts';

const modern = (...managementPolicies: string[]) =>
  widget(namespacedWidgets, { spec: { managementPolicies } });
const legacy = (deletionPolicy: 'Delete' | 'Orphan' | undefined, ...managementPolicies: string[]) => {
  const resource = widget(clusterWidgets, { spec: { managementPolicies } });
  delete resource.spec.deletionPolicy;
  if (deletionPolicy) resource.spec.deletionPolicy = deletionPolicy;
  return resource;
};
const on = { enabled: true };
const off = { enabled: false };

describe('paused by policy', () => {
  test.each([
    { title: '[55] feature off and empty: no', options: off, set: [], paused: false },
    { title: '[56] feature on and empty: yes', options: on, set: [], paused: true },
    { title: '[57] feature on and *: no', options: on, set: ['*'], paused: false },
  ])('$title', ({ options, set, paused }) => {
    expect(resolvePolicies(modern(...set), options).paused).toBe(paused);
  });
});

describe('validation', () => {
  test.each([
    { title: '[58] on and empty: fine', options: on, set: [], fine: true },
    { title: '[59] off and {Create}: refused', options: off, set: ['Create'], fine: false },
    { title: '[60] off and *: fine', options: off, set: ['*'], fine: true },
    { title: '[61] on and *: fine', options: on, set: ['*'], fine: true },
    { title: '[62] on and {Delete}: refused', options: on, set: ['Delete'], fine: false },
  ])('$title', ({ options, set, fine }) => {
    expect(resolvePolicies(modern(...set), options).problem === undefined).toBe(fine);
  });

  const actions = new Map<string, ManagementAction>([
    ['O', 'Observe'],
    ['C', 'Create'],
    ['U', 'Update'],
    ['L', 'LateInitialize'],
    ['D', 'Delete'],
    ['*', '*'],
  ]);
  const letters = [...actions.keys()];
  const subsets = Array.from({ length: 2 ** letters.length }, (_, bits) =>
    letters.filter((_, index) => Math.floor(bits / 2 ** index) % 2 === 1).join(''),
  );
  const supported = ' OCULD OCUD OCUL OCU OCLD OCL OCD OC OD OU OUL OL O *'.split(' ');
  test.each(subsets.map((set) => ({ set, fine: supported.includes(set) })))(
    'of all sets of actions $set is supported: $fine, in any order and with repeats',
    ({ set, fine }) => {
      const policies = [...set].map((letter) => actions.get(letter) ?? letter);
      const { problem } = resolvePolicies(modern(...[...policies].reverse(), ...policies), on);
      if (fine) expect(problem).toBeUndefined();
      else expect(problem).toContain(`value([${[...policies].sort().join(' ')}])`);
    },
  );
  test('each supported set is one of these', () => {
    expect(supportedPolicySets).toHaveLength(supported.length);
  });

  test('without the feature the problem names the field, the sets and that the feature is off', () => {
    expect(resolvePolicies(modern('Observe', 'Create', 'Create'), off).problem).toBe(
      '`spec.managementPolicies` is set to a non-default value but the feature is not enabled: [Create Observe]',
    );
    expect(resolvePolicies(modern(), off).problem).toBeUndefined();
  });

  test('a kind may support other sets than all kinds', () => {
    const options = { enabled: true, supported: [['Observe', 'Delete', 'Update'] as const] };
    expect(resolvePolicies(modern('Update', 'Observe', 'Delete'), options).problem).toBeUndefined();
    expect(resolvePolicies(modern('*'), options).problem).toContain('value([*]) which is not supported');
  });

  test('a resource without the field has all policies, the default of every CRD', () => {
    const resource = modern();
    delete resource.spec.managementPolicies;
    expect(resolvePolicies(resource, on)).toMatchObject({
      paused: false,
      problem: undefined,
      deletesExternal: true,
    });
  });
});

describe('what may be done', () => {
  test.each([
    {
      title: '[63] Create, feature off: yes',
      action: 'Create' as const,
      set: ['*'],
      options: off,
      allowed: true,
    },
    {
      title: '[64] Create, named: yes',
      action: 'Create' as const,
      set: ['Observe', 'Create'],
      options: on,
      allowed: true,
    },
    { title: '[65] Create, *: yes', action: 'Create' as const, set: ['*'], options: on, allowed: true },
    {
      title: '[66] Create, not named: no',
      action: 'Create' as const,
      set: ['Observe'],
      options: on,
      allowed: false,
    },
    {
      title: '[67] Update, feature off: yes',
      action: 'Update' as const,
      set: ['*'],
      options: off,
      allowed: true,
    },
    {
      title: '[68] Update, named: yes',
      action: 'Update' as const,
      set: ['Observe', 'Update'],
      options: on,
      allowed: true,
    },
    { title: '[69] Update, *: yes', action: 'Update' as const, set: ['*'], options: on, allowed: true },
    {
      title: '[70] Update, not named: no',
      action: 'Update' as const,
      set: ['Observe'],
      options: on,
      allowed: false,
    },
    {
      title: '[71] LateInitialize, feature off: yes',
      action: 'LateInitialize' as const,
      set: ['*'],
      options: off,
      allowed: true,
    },
    {
      title: '[72] LateInitialize, named: yes',
      action: 'LateInitialize' as const,
      set: ['Observe', 'LateInitialize'],
      options: on,
      allowed: true,
    },
    {
      title: '[73] LateInitialize, *: yes',
      action: 'LateInitialize' as const,
      set: ['*'],
      options: on,
      allowed: true,
    },
    {
      title: '[74] LateInitialize, not named: no',
      action: 'LateInitialize' as const,
      set: ['Observe'],
      options: on,
      allowed: false,
    },
  ])('$title', ({ action, set, options, allowed }) => {
    expect(resolvePolicies(modern(...set), options).allows(action)).toBe(allowed);
  });

  test.each([
    { title: '[75] only observe, feature off: no', options: off, set: ['Observe'], only: false },
    { title: '[76] only observe, {Observe}: yes', options: on, set: ['Observe'], only: true },
    {
      title: '[77] only observe, Observe and more: no',
      options: on,
      set: ['Observe', 'Create'],
      only: false,
    },
  ])('$title', ({ options, set, only }) => {
    expect(resolvePolicies(modern(...set), options).onlyObserve).toBe(only);
  });
});

describe('whether the external resource goes with the managed one', () => {
  test.each([
    { title: '[78] modern, off: yes', resource: modern('*'), options: off, goes: true },
    { title: '[79] modern, *: yes', resource: modern('*'), options: on, goes: true },
    { title: '[80] modern, {Delete}: yes', resource: modern('Delete'), options: on, goes: true },
    { title: '[81] modern, {Observe}: no', resource: modern('Observe'), options: on, goes: false },
    { title: '[82] legacy, off, Orphan: no', resource: legacy('Orphan', '*'), options: off, goes: false },
    { title: '[83] legacy, off, Delete: yes', resource: legacy('Delete', '*'), options: off, goes: true },
    { title: '[84] legacy, Delete and *: yes', resource: legacy('Delete', '*'), options: on, goes: true },
    { title: '[85] legacy, Orphan and *: no', resource: legacy('Orphan', '*'), options: on, goes: false },
    {
      title: '[86] legacy, Delete and {Delete}: yes',
      resource: legacy('Delete', 'Delete'),
      options: on,
      goes: true,
    },
    {
      title: '[87] legacy, Orphan and {Delete}: yes',
      resource: legacy('Orphan', 'Delete'),
      options: on,
      goes: true,
    },
    {
      title: '[88] legacy, Delete and {Observe}: no',
      resource: legacy('Delete', 'Observe'),
      options: on,
      goes: false,
    },
    {
      title: '(ours) legacy, Delete, * and more: yes',
      resource: legacy('Delete', '*', 'Observe'),
      options: on,
      goes: true,
    },
    {
      title: '(ours) legacy, Orphan, * and more: no',
      resource: legacy('Orphan', '*', 'Observe'),
      options: on,
      goes: false,
    },
    { title: '(ours) legacy, off, unset: yes', resource: legacy(undefined, '*'), options: off, goes: true },
    { title: '(ours) legacy, unset and *: no', resource: legacy(undefined, '*'), options: on, goes: false },
  ])('$title', ({ resource, options, goes }) => {
    expect(resolvePolicies(resource, options).deletesExternal).toBe(goes);
  });
});

const actions = ['Observe', 'Create', 'Update', 'LateInitialize', 'Delete', '*'] as const;
const anySet = fc.array(fc.constantFrom<ManagementAction>(...actions), { maxLength: 8 });

test('properties: only the set counts, adding an action forbids nothing, an explicit Delete always deletes', () => {
  fc.assert(
    fc.property(anySet, fc.constantFrom<ManagementAction>(...actions), fc.boolean(), (set, more, orphan) => {
      const resolve = (list: readonly string[]) =>
        resolvePolicies(legacy(orphan ? 'Orphan' : 'Delete', ...list), on);
      const view = (list: readonly string[]) => {
        const { paused, problem, onlyObserve, deletesExternal, allows } = resolve(list);
        const allowed = actions.flatMap((a) => (a !== '*' && allows(a) ? [a] : []));
        return { paused, problem, onlyObserve, deletesExternal, allowed };
      };
      expect(view([...set, ...set].reverse())).toEqual(view(set));
      const before = view(set).allowed;
      expect(view([...set, more]).allowed).toEqual(expect.arrayContaining(before));
      if (set.includes('Delete')) expect(view(set).deletesExternal).toBe(true);
    }),
  );
});
