import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { nopLogger } from '../base/telemetry/logger.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { highPriorityRequest } from '../controller/reconcile-result.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, type Widget, widget } from './fakes/managed-harness.ts';
import type { ManagedKind } from './kind/managed-kind.ts';
import { createManagedReconciler } from './managed-controller.ts';
import { available, getCondition, setConditions } from './resource/conditions.ts';

/** The result of one call of a reconcile: success, refusal, or success with the process ending before the response. */
const fate = fc.constantFrom('well', 'well', 'refused', 'crash-before', 'crash-after');
const key = { namespace: 'shop', name: 'w' };

/** External API and API server behind calls any of which may be lost. */
function setup(fates: string[]) {
  const clock = createFakeClock();
  const server = createMemoryClient({ clock });
  /** External resources by name; a second one under the same name is what must never be. */
  const elsewhere = new Map<string, number>();
  let crash = new AbortController();
  const through = async <T>(call: () => Promise<T>): Promise<T> => {
    crash.signal.throwIfAborted();
    const next = fates.shift() ?? 'well';
    if (next === 'refused') throw new Error('refused');
    if (next === 'crash-before') crash.abort(new Error('crash'));
    crash.signal.throwIfAborted();
    const answer = await call();
    if (next === 'crash-after') crash.abort(new Error('crash'));
    crash.signal.throwIfAborted();
    return answer;
  };
  const client: typeof server = {
    ...server,
    get: (...args) => through(() => server.get(...args)),
    update: (...args) => through(() => server.update(...args)),
    updateStatus: (...args) => through(() => server.updateStatus(...args)),
  };
  const nameOf = (resource: Widget) => `size-${resource.spec.forProvider.size}`;
  const kind: ManagedKind<Widget> = {
    type,
    deterministicExternalName: true,
    observeAfterCreate: true,
    creationGracePeriodMs: 0,
    initializers: [],
    connector: {
      connect: async () => ({
        observe: (resource) =>
          through(async () => {
            const recorded = resource.metadata.annotations?.['crossplane.io/external-name'];
            const highPriorityRequest = nameOf(resource);
            if (recorded !== undefined && recorded !== highPriorityRequest && elsewhere.has(recorded)) {
              return {
                state: 'present',
                upToDate: false,
                replace: 'identity',
                externalName: highPriorityRequest,
              };
            }
            if (!elsewhere.has(highPriorityRequest))
              return { state: 'absent', externalName: highPriorityRequest };
            setConditions(resource, clock, available());
            return { state: 'present', upToDate: true, externalName: highPriorityRequest };
          }),
        create: (resource) =>
          through(async () => {
            elsewhere.set(nameOf(resource), (elsewhere.get(nameOf(resource)) ?? 0) + 1);
            return {};
          }),
        update: async () => ({}),
        delete: (resource) =>
          through(async () => {
            elsewhere.delete(
              resource.metadata.annotations?.['crossplane.io/external-name'] ?? nameOf(resource),
            );
            return {};
          }),
      }),
    },
  };
  const stored = () => server.peek(type, key);
  /** A process that starts anew after every crash; each knows only what is stored. */
  const run = async (passes: number) => {
    for (let i = 0; i < passes; i++) {
      crash = new AbortController();
      const reconcile = createManagedReconciler<Widget>({
        kind,
        client,
        read: stored,
        recorder: createFakeRecorder(),
        clock,
        random: () => 0.5,
        log: nopLogger,
      });
      const pass = reconcile('shop/w', crash.signal, highPriorityRequest).catch(() => undefined);
      await clock.advance(100);
      await pass;
      expect(elsewhere.size).toBeLessThanOrEqual(1);
      expect([...elsewhere.values()].every((count) => count === 1)).toBe(true);
      const finalizers = stored()?.metadata.finalizers ?? [];
      if (elsewhere.size > 0) expect(finalizers).toHaveLength(1);
      await clock.advance(1000);
    }
  };
  return { server, elsewhere, stored, run, heal: () => fates.splice(0) };
}

test('property: whichever request fails and wherever the process ends, there is one external resource, never two, none left', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 40 }), async (fates) => {
      const h = setup([...fates]);
      h.server.seed(type, widget(type, { spec: { forProvider: { size: 1 } } }));
      await h.run(3);
      await h.server.mergePatch(type, key, { spec: { forProvider: { size: 2 } } });
      await h.run(3);
      h.heal();
      await h.run(3);
      expect([...h.elsewhere.keys()]).toEqual(['size-2']);
      expect(getCondition(h.stored() ?? widget(type), 'Ready')).toMatchObject({ status: 'True' });
      expect(getCondition(h.stored() ?? widget(type), 'Synced')).toMatchObject({ status: 'True' });
      await h.server.delete(type, key);
      await h.run(3);
      expect([h.stored(), h.elsewhere.size]).toEqual([undefined, 0]);
    }),
    { numRuns: 60 },
  );
}, 60_000);

test('property: a resource that is deleted while requests fail leaves nothing behind either', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { maxLength: 30 }), async (fates) => {
      const h = setup([...fates]);
      h.server.seed(type, widget(type, { spec: { forProvider: { size: 1 } } }));
      await h.run(2);
      await h.server.delete(type, key);
      await h.run(4);
      h.heal();
      await h.run(3);
      expect([h.stored(), h.elsewhere.size]).toEqual([undefined, 0]);
    }),
    { numRuns: 60 },
  );
}, 60_000);
