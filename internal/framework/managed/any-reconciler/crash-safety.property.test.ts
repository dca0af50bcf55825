import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { highPriorityRequest } from '../../controller/reconcile-result.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, type Widget, widget } from '../../kube/fakes/widget.ts';
import { externalNameFrom } from '../resource/meta.ts';
import { reconcileOf, reconcilers, type TestedReconciler } from './any-reconciler.fixture.ts';
import { type ExternalSystem, sizeOf } from './external-system.fixture.ts';

/** The result of one call of a reconcile: success, refusal, or success with the process ending before the response. */
const fate = fc.constantFrom('well', 'well', 'refused', 'crash-before', 'crash-after');
const key = { namespace: 'shop', name: 'w' };

/** External API and API server behind calls any of which may be lost. */
function setup(tested: TestedReconciler, fates: string[]) {
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
  const nameOf = (resource: Widget) => `size-${sizeOf(resource)}`;
  const recordedName = (resource: Widget) => externalNameFrom(resource) ?? nameOf(resource);
  const system: ExternalSystem = {
    observe: (resource) =>
      through(async () => {
        const name = nameOf(resource);
        const recorded = recordedName(resource);
        if (recorded !== name && elsewhere.has(recorded)) return { state: 'renamed', name };
        return { state: elsewhere.has(name) ? 'settled' : 'absent', name };
      }),
    create: (resource) =>
      through(async () => void elsewhere.set(nameOf(resource), (elsewhere.get(nameOf(resource)) ?? 0) + 1)),
    delete: (resource) => through(async () => void elsewhere.delete(recordedName(resource))),
  };
  const stored = () => server.peek(type, key);
  /** A process that starts anew after every crash; each knows only what is stored. */
  const run = async (passes: number) => {
    for (let i = 0; i < passes; i++) {
      crash = new AbortController();
      const reconcile = reconcileOf(tested, system, { type, client, read: stored, clock });
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

test.each(reconcilers)(
  'property: $reconciler: whichever request fails and wherever the process ends, there is one external resource, never two, none left',
  async (tested) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 40 }), async (fates) => {
        const h = setup(tested, [...fates]);
        h.server.seed(type, widget(type, { spec: { forProvider: { size: 1 } } }));
        await h.run(3);
        await h.server.mergePatch(type, key, { spec: { forProvider: { size: 2 } } });
        await h.run(3);
        h.heal();
        await h.run(3);
        expect([...h.elsewhere.keys()]).toEqual(['size-2']);
        expect(tested.isSettled(h.stored())).toBe(true);
        await h.server.delete(type, key);
        await h.run(3);
        expect([h.stored(), h.elsewhere.size]).toEqual([undefined, 0]);
      }),
      { numRuns: 30 },
    );
  },
  60_000,
);

test.each(reconcilers)(
  'property: $reconciler: an object that is deleted while requests fail leaves nothing behind either',
  async (tested) => {
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 30 }), async (fates) => {
        const h = setup(tested, [...fates]);
        h.server.seed(type, widget(type, { spec: { forProvider: { size: 1 } } }));
        await h.run(2);
        await h.server.delete(type, key);
        await h.run(4);
        h.heal();
        await h.run(3);
        expect([h.stored(), h.elsewhere.size]).toEqual([undefined, 0]);
      }),
      { numRuns: 30 },
    );
  },
  60_000,
);
