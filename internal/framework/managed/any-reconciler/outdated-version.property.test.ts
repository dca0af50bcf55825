import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { highPriorityRequest } from '../../controller/reconcile-result.ts';
import { createMemoryClient } from '../../kube/fakes/memory-client.ts';
import { clusterWidgets as type, type Widget, widget } from '../../kube/fakes/widget.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import { isPaused } from '../resource/meta.ts';
import { reconcileOf, reconcilers, type TestedReconciler } from './any-reconciler.fixture.ts';
import { type ExternalSystem, sizeOf } from './external-system.fixture.ts';

const key = { name: 'w' };

/** What may happen between two reconciles: users change the resource, third parties the external one, watches report late. */
const happening = fc.oneof(
  fc.record({ do: fc.constant('pause' as const), to: fc.boolean() }),
  fc.record({ do: fc.constant('resize' as const), to: fc.nat(2) }),
  fc.record({ do: fc.constant('orphan' as const), to: fc.boolean() }),
  fc.record({ do: fc.constant('restrict' as const), to: fc.boolean() }),
  fc.record({ do: fc.constant('drift' as const), to: fc.nat(2) }),
  fc.record({ do: fc.constantFrom('delete' as const, 'deliver' as const, 'touch' as const) }),
);

function setup(tested: TestedReconciler, shard: string) {
  const clock = createFakeClock();
  const server = createMemoryClient({ clock });
  let external: number | undefined;
  let deletions = 0;
  const violations: unknown[] = [];
  const stored = () => server.peek(type, key);
  /** Whether the API server's version asks for the deletion of what there is. */
  const asksForDeletion = (resource: Widget): boolean => {
    if (isPaused(resource)) return false;
    if (wasDeleted(resource)) return resource.spec.deletionPolicy === 'Delete';
    return sizeOf(resource) !== external && resource.spec.managementPolicies?.includes('*') === true;
  };
  const system: ExternalSystem = {
    observe: async (resource) => {
      if (external === undefined) return { state: 'absent', name: 'w' };
      return { state: external === sizeOf(resource) ? 'settled' : 'drifted', name: 'w' };
    },
    create: async (resource) => {
      external = sizeOf(resource);
    },
    delete: async () => {
      const resource = stored();
      if (resource === undefined || !asksForDeletion(resource)) violations.push(resource?.metadata);
      external = undefined;
      deletions++;
    },
  };
  server.seed(type, widget(type, { spec: { forProvider: { size: 1 } } }));
  let cached = stored();
  const read = () => cached;
  const reconcile = reconcileOf(tested, system, { client: server, read, clock, labelSelector: shard });
  const patch = (patch: unknown) => server.mergePatch(type, key, patch).catch(() => undefined);
  const happen = async (what: typeof happening extends fc.Arbitrary<infer H> ? H : never) => {
    switch (what.do) {
      case 'pause':
        return patch({ metadata: { annotations: { 'crossplane.io/paused': what.to ? 'true' : null } } });
      case 'resize':
        return patch({ spec: { forProvider: { size: what.to } } });
      case 'orphan':
        return patch({ spec: { deletionPolicy: what.to ? 'Orphan' : 'Delete' } });
      case 'restrict':
        return patch({ spec: { managementPolicies: what.to ? ['Observe'] : ['*'] } });
      case 'touch':
        return patch({ metadata: { annotations: { touched: `${clock.now()}` } } });
      case 'drift':
        if (external !== undefined) external = what.to;
        return;
      case 'delete':
        return server.delete(type, key).catch(() => undefined);
      case 'deliver':
        cached = stored();
        return;
      default:
        return what satisfies never;
    }
  };
  const run = async () => {
    const pass = reconcile('w', new AbortController().signal, highPriorityRequest);
    await clock.advance(200);
    await pass;
  };
  return {
    happen,
    run,
    violations,
    deletions: () => deletions,
    settle: async () => {
      cached = stored();
      await run();
      cached = stored();
      await run();
    },
    outcome: () => ({ stored: stored(), external }),
  };
}

const shards = ['', 's=a'];

test.each(reconcilers.flatMap((tested) => shards.map((shard) => ({ ...tested, shard }))))(
  'property: $reconciler: however outdated the cache is, nothing is deleted unless the version of the API server asks for it (shard "$shard")',
  async ({ shard, ...tested }) => {
    let deletions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(happening, { maxLength: 4 }), { maxLength: 15 }), async (rounds) => {
        const h = setup(tested, shard);
        await h.settle();
        for (const round of rounds) {
          for (const what of round) await h.happen(what);
          await h.run();
          expect(h.violations).toEqual([]);
        }
        deletions += h.deletions();
        await h.happen({ do: 'pause', to: false });
        await h.happen({ do: 'restrict', to: false });
        await h.settle();
        const { stored, external } = h.outcome();
        if (stored !== undefined) expect(external).toBe(sizeOf(stored));
      }),
      { numRuns: 50 },
    );
    expect(deletions).toBeGreaterThan(0);
  },
  60_000,
);
