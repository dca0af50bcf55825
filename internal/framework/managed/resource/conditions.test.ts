import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import type { Condition } from '../../kube/object/condition.ts';
import { clusterWidgets, widget } from '../fakes/managed-harness.ts';
import {
  available,
  creating,
  getCondition,
  type NewCondition,
  reconcileError,
  reconcileSuccess,
  setConditions,
  unavailable,
} from './conditions.ts';

const at = '2024-01-01T00:00:00Z';
const before = '2023-01-01T00:00:00Z';
const stored = (condition: NewCondition, more: Partial<Condition> = {}): Condition => ({
  ...condition,
  lastTransitionTime: before,
  observedGeneration: 42,
  ...more,
});
const withConditions = (...conditions: Condition[]) => widget(clusterWidgets, { status: { conditions } });
const set = (resource: ReturnType<typeof widget>, ...conditions: NewCondition[]) => {
  setConditions(resource, createFakeClock(), ...conditions);
  return resource.status?.conditions;
};

describe('setConditions', () => {
  test.each([
    {
      title: '[245] no conditions at all',
      resource: widget(clusterWidgets),
      conditions: [],
      want: undefined,
    },
    {
      title: '[246] the first condition is appended',
      resource: widget(clusterWidgets),
      conditions: [available()],
      want: [{ ...available(), lastTransitionTime: at, observedGeneration: 42 }],
    },
    {
      title: '[247] nothing to state leaves all as it is',
      resource: withConditions(stored(available())),
      conditions: [],
      want: [stored(available())],
    },
    {
      title: '[248] another statement replaces the whole entry and names the generation',
      resource: withConditions(stored(unavailable('no answer'), { observedGeneration: 41 })),
      conditions: [available()],
      want: [{ ...available(), lastTransitionTime: at, observedGeneration: 42 }],
    },
    {
      title: '[249] a condition of another type keeps the others',
      resource: withConditions(stored(available())),
      conditions: [reconcileSuccess()],
      want: [{ ...reconcileSuccess(), lastTransitionTime: at, observedGeneration: 42 }, stored(available())],
    },
    {
      title: '(ours) the same statement keeps entry and time',
      resource: withConditions(stored(available())),
      conditions: [available()],
      want: [stored(available())],
    },
    {
      title: '(ours) the same statement for a newer generation keeps the time',
      resource: withConditions(stored(available(), { observedGeneration: 41 })),
      conditions: [available()],
      want: [{ ...available(), lastTransitionTime: before, observedGeneration: 42 }],
    },
    {
      title: '(ours) a new message or reason keeps the time',
      resource: withConditions(stored(reconcileError('a')), stored(creating())),
      conditions: [reconcileError('b'), unavailable('c')],
      want: [
        { ...reconcileError('b'), lastTransitionTime: before, observedGeneration: 42 },
        { ...unavailable('c'), lastTransitionTime: before, observedGeneration: 42 },
      ],
    },
    {
      title: '(ours) a stored entry without a generation says the same',
      resource: withConditions({ ...available(), lastTransitionTime: before }),
      conditions: [available()],
      want: [{ ...available(), lastTransitionTime: before }],
    },
    {
      title: '(ours) Synced comes first even where others stood before it',
      resource: withConditions(stored(available()), stored(reconcileSuccess())),
      conditions: [creating()],
      want: [stored(reconcileSuccess()), { ...creating(), lastTransitionTime: at, observedGeneration: 42 }],
    },
  ])('$title', ({ resource, conditions, want }) => {
    expect(set(resource, ...conditions)).toEqual(want);
  });

  test('[250] an object without metadata.generation or status is no obstacle', () => {
    const resource = widget(clusterWidgets);
    delete resource.metadata.generation;
    expect(set(resource, available())).toEqual([{ ...available(), lastTransitionTime: at }]);
  });

  test('conditions of the object that was read are not changed', () => {
    const shared = withConditions(stored(available()));
    const conditions = Object.freeze(shared.status?.conditions ?? []) as Condition[];
    shared.status = { conditions };
    set(shared, unavailable());
    expect(conditions).toEqual([stored(available())]);
  });
});

test('a message that quotes control characters or marks that reverse text has them escaped, with its lines', () => {
  const quoted = reconcileError('field "\u001b[2J\u202etxt" is refused:\nsecond line');
  const [condition] = set(widget(clusterWidgets), quoted) ?? [];
  expect(condition?.message).toBe('field "\\e[2J\\u202etxt" is refused:\nsecond line');
});

describe('a long message', () => {
  const long = `cannot create: ${'x'.repeat(400_000)}: refused`;

  test('is cut in the middle, since its beginning and its end say most', () => {
    const [condition] = set(widget(clusterWidgets), reconcileError(long)) ?? [];
    expect(condition?.message).toHaveLength(1024);
    expect(condition?.message).toMatch(/^cannot create: x+ …\(\d+ characters\)… x+: refused$/);
  });

  test('is cut as well where an author builds the condition', () => {
    const own: NewCondition = { type: 'Own', status: 'False', reason: 'r'.repeat(5000), message: long };
    const [condition] = set(widget(clusterWidgets), own) ?? [];
    expect(condition?.message).toHaveLength(1024);
    expect(condition?.reason).toHaveLength(1024);
  });

  test('states the same the next time, so that its condition keeps its time', () => {
    const resource = withConditions({ ...reconcileError(long), lastTransitionTime: before });
    expect(set(resource, reconcileError(long))).toEqual([
      { ...reconcileError(long), lastTransitionTime: before },
    ]);
  });
});

const statement = fc.record({
  type: fc.constantFrom('Ready', 'Synced', 'Other'),
  status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
  reason: fc.constantFrom('A', 'B'),
  message: fc.constantFrom('x', 'y'),
});

test('properties: setting again changes nothing, each type stands once, the last statement holds, Synced is first', () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 8 }), (statements) => {
      const resource = widget(clusterWidgets);
      set(resource, ...statements);
      const once = structuredClone(resource.status?.conditions);
      setConditions(resource, createFakeClock(Date.UTC(2030, 0, 1)), ...(once ?? []));
      expect(resource.status?.conditions).toEqual(once);
      const types = (once ?? []).map((c) => c.type);
      expect(new Set(types).size).toBe(types.length);
      if (types.includes('Synced')) expect(types[0]).toBe('Synced');
      for (const type of types) {
        expect(getCondition(resource, type)).toMatchObject(statements.findLast((s) => s.type === type) ?? {});
      }
    }),
  );
});
