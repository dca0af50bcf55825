import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { managedFinalizer } from '../../controller/reconcile/finalizer.ts';
import { clusterWidgets, createHarness, namespacedWidgets, type Widget } from '../fakes/managed-harness.ts';
import type { Observation } from '../kind/external-client.ts';
import { supportedPolicySets } from '../kind/policies.ts';

const situation = fc.record({
  set: fc.constantFrom(...supportedPolicySets),
  legacy: fc.boolean(),
  orphan: fc.boolean(),
  deleted: fc.boolean(),
  late: fc.boolean(),
  observation: fc.constantFrom<Observation>(
    { state: 'absent' },
    { state: 'pending', operation: 'resizing', checkAfterMs: 1000 },
    { state: 'present', upToDate: true },
    { state: 'present', upToDate: false },
    { state: 'present', upToDate: false, replace: 'drift' },
    { state: 'present', upToDate: false, replace: 'identity', externalName: 'other' },
  ),
});

test('properties: no reconcile does what its policies forbid, nor omits what they allow', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async ({ set, legacy, orphan, deleted, late, observation }) => {
      const may = (action: string) => set.some((one) => one === '*' || one === action);
      const deletes = may('Delete') && !(legacy && orphan && set.some((one) => one === '*'));
      const harness = createHarness({
        type: legacy ? clusterWidgets : namespacedWidgets,
        resource: {
          metadata: {
            ...(deleted ? { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: [managedFinalizer] } : {}),
          },
          spec: {
            managementPolicies: [...set],
            ...(legacy ? { deletionPolicy: orphan ? ('Orphan' as const) : ('Delete' as const) } : {}),
          },
        },
        external: {
          observe: (resource: Widget) => {
            if (!late || observation.state !== 'present') return observation;
            resource.spec.forProvider.size = 7;
            return { ...observation, lateInitialized: true };
          },
        },
      });
      await harness.reconcile();
      const { state } = observation;
      const replace = state === 'present' ? observation.replace : undefined;
      const differs = state === 'present' && !observation.upToDate;
      const replaces =
        !deleted && replace && may('Create') && may('Delete') && (replace === 'identity' || may('Update'));
      const wanted = set.length === 0 || (deleted && !deletes) ? [] : ['observe'];
      if (wanted.length > 0 && deleted && state === 'present') wanted.push('delete');
      if (wanted.length > 0 && !deleted && replaces) wanted.push('delete', 'create');
      if (wanted.length > 0 && !deleted && state === 'absent' && may('Create')) wanted.push('create');
      if (wanted.length > 0 && !deleted && differs && !replace && may('Update')) wanted.push('update');
      expect(harness.external.calls.filter((verb) => !/connect/.test(verb))).toEqual(wanted);

      const stored = harness.stored();
      if (deleted && set.length > 0 && (!deletes || state === 'absent'))
        return expect(stored).toBeUndefined();
      const filled = late && state === 'present' && !deleted && !replace && may('LateInitialize');
      expect(stored?.spec.forProvider).toEqual(filled ? { size: 7 } : {});
      const nothingToHold = set.length === 0 || (state === 'absent' && set.join() === 'Observe');
      expect(stored?.metadata.finalizers ?? []).toEqual(nothingToHold && !deleted ? [] : [managedFinalizer]);
    }),
    { numRuns: 300 },
  );
}, 60_000);
