import { describe, expect, test } from '@jest/globals';
import { changedFields } from '../../kube/apply/patches.ts';
import { apiError } from '../../kube/fakes/memory-client.ts';
import { createHarness, namespacedWidgets, type Widget } from '../fakes/managed-harness.ts';
import { nameAsExternalName } from '../kind/managed-kind.ts';
import { referenceFieldManager } from '../steps/observe.ts';
import { boom, deleted, existing, failure, poll, requeue, runScenarios, upToDate } from './scenario.ts';

const resolvesTo = (size: number) => ({
  resolveReferences: async (resource: Widget) => {
    resource.spec.forProvider.size = size;
  },
});
const failing = { resolveReferences: () => Promise.reject(boom) };
const applied = (h: ReturnType<typeof createHarness>) =>
  h.client.requests.filter(({ verb }) => verb === 'apply').map(({ body }) => body);

runScenarios('references', () => [
  {
    title: '[9] a reference cannot be resolved',
    reason: 'what is not known cannot be asked for',
    given: { kind: failing },
    want: {
      result: requeue,
      conditions: [failure('cannot resolve references: boom')],
      events: ['Warning CannotResolveResourceReferences: cannot resolve references: boom'],
      calls: [],
      check: (h) => expect(h.external.calls).toEqual([]),
    },
  },
  {
    title: '[117] a kind without references',
    reason: 'there is no request',
    given: { resource: existing, external: { observe: upToDate } },
    want: { result: poll, writes: ['update status'] },
  },
  {
    title: '[118] the resolver fails',
    reason: 'the prefix says where',
    given: { resource: existing, kind: failing, external: { observe: upToDate } },
    want: { result: requeue, conditions: [failure('cannot resolve references: boom')] },
  },
  {
    title: '[119] the resolver changes nothing',
    reason: 'what was resolved before is not written again',
    given: {
      resource: { ...existing, spec: { forProvider: { size: 7 } } },
      kind: resolvesTo(7),
      external: { observe: upToDate },
    },
    want: { result: poll, writes: ['update status'] },
  },
  {
    title: '[120] the resolver changes the spec',
    reason: 'the changed fields alone are applied, under a name of their own, before Observe sees them',
    given: {
      resource: existing,
      kind: resolvesTo(7),
      external: {
        observe: (resource) => {
          expect(resource.spec.forProvider.size).toBe(7);
          return upToDate;
        },
      },
    },
    want: {
      result: poll,
      writes: ['apply', 'update status'],
      check: (h) => {
        const { apiVersion, kind, metadata } = h.stored() as Widget;
        const { name, namespace, uid } = metadata;
        expect(applied(h)).toEqual([
          {
            apiVersion,
            kind,
            metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion: expect.any(String) },
            spec: { forProvider: { size: 7 } },
          },
        ]);
        expect(h.stored()?.spec).toMatchObject({ forProvider: { size: 7 }, managementPolicies: ['*'] });
      },
    },
  },
  {
    title: '[121] the change cannot be applied',
    reason: 'the prefix says where',
    given: { resource: existing, kind: resolvesTo(7) },
    fault: ({ verb }) => {
      if (verb === 'apply') throw boom;
    },
    want: {
      result: requeue,
      conditions: [failure('cannot patch the managed resource via server-side apply: boom')],
      calls: [],
    },
  },
  {
    title: '[54] a conflict while applying what references resolved to',
    reason: 'a newer version is on its way, and users need not know',
    given: { resource: existing, kind: resolvesTo(7) },
    fault: ({ verb }) => {
      if (verb === 'apply') throw apiError(409, 'Conflict');
    },
    want: { result: requeue, conditions: [], events: [] },
  },
  {
    title: '(ours) a deleted resource with references',
    reason: 'what it refers to may be gone already',
    given: { resource: deleted, kind: failing, external: { observe: upToDate } },
    want: { result: requeue, calls: ['observe', 'delete'] },
  },
  {
    title: '(ours) an external name that is only staged',
    reason: 'the answer to the apply must not make it forgotten',
    given: {
      kind: { ...resolvesTo(7), initializers: [nameAsExternalName], deterministicExternalName: true },
      external: { observe: upToDate },
    },
    want: {
      result: poll,
      check: (h) => {
        expect(h.stored()?.metadata.annotations).toEqual({ 'crossplane.io/external-name': 'w' });
        expect(h.stored()?.spec.forProvider.size).toBe(7);
      },
    },
  },
]);

test('what was resolved before is applied again with what is new, since it would else be given up', async () => {
  const managedFields = [
    {
      manager: referenceFieldManager,
      operation: 'Apply',
      fieldsV1: { 'f:spec': { 'f:forProvider': { 'f:colour': {}, 'f:gone': {} } } },
    },
  ];
  const forProvider = { colour: 'red', shape: 'round' };
  const harness = createHarness({
    type: namespacedWidgets,
    resource: { metadata: { ...existing.metadata, managedFields }, spec: { forProvider } as Widget['spec'] },
    kind: resolvesTo(7),
    external: { observe: upToDate },
  });
  await harness.reconcile();
  expect(applied(harness)).toMatchObject([{ spec: { forProvider: { colour: 'red', size: 7 } } }]);
  expect(JSON.stringify(applied(harness))).not.toContain('round');
});

describe('the changed fields', () => {
  test('[122] are those that were added or differ, lists as a whole', () => {
    const before = { same: 1, deep: { same: [1], differs: 1, gone: 1 }, list: [1, 2], gone: 1 };
    const after = { same: 1, deep: { same: [1], differs: 2, added: null }, list: [2], added: { a: 1 } };
    expect(changedFields(before, after)).toEqual({
      deep: { differs: 2, added: null },
      list: [2],
      added: { a: 1 },
    });
  });
});
