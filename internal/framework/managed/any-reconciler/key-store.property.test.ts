import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError, WaitingError } from '../../base/errors/errors.ts';
import { createFakeWatchedObject } from '../../base/errors/fake-watched-object.ts';
import { createKeyStore } from '../../controller/key-store.ts';
import { clusterWidgets as type, type Widget, widget } from '../../kube/fakes/widget.ts';
import { reconcilers, runController, type TestedReconciler } from './any-reconciler.fixture.ts';
import type { ExternalSystem, Found } from './external-system.fixture.ts';

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
/** What an external API may answer. */
const answer = fc.constantFrom(
  'absent' as const,
  'drifted' as const,
  'settled' as const,
  'pending' as const,
  'waiting' as const,
  'terminal' as const,
  'failed' as const,
);
const happening = fc.oneof(
  fc.record({ do: fc.constantFrom('create' as const, 'delete' as const, 'change' as const), name }),
  fc.record({ do: fc.constant('answer' as const), name, answer }),
  fc.record({ do: fc.constant('label' as const), name, shard: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.nat(100_000) }),
);
type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

async function setUp(tested: TestedReconciler, labelSelector: string) {
  const keys = createKeyStore();
  const target = createFakeWatchedObject('source');
  const answers = new Map<string, Extract<Happening, { do: 'answer' }>['answer']>();
  const refuse = async ({ metadata: { name } }: Widget) => {
    if (answers.get(name) === 'terminal') throw new ProviderError('terminal', 'refused');
  };
  const system: ExternalSystem = {
    observe: async ({ metadata: { name } }): Promise<Found> => {
      const state = answers.get(name) ?? 'settled';
      if (state === 'waiting') throw new WaitingError('there is no source', { targets: [target] });
      if (state === 'failed') throw new ProviderError('transient', 'it failed');
      return { state: state === 'terminal' ? 'drifted' : state, name };
    },
    create: refuse,
    delete: refuse,
  };
  const running = await runController(tested, system, undefined, { keys, labelSelector });
  const { client: server, clock } = running;
  let changes = 0;
  const happen = async (what: Happening): Promise<unknown> => {
    switch (what.do) {
      case 'create':
        return server.create(type, widget(type, { metadata: { name: what.name, labels: { shard: 'a' } } }));
      case 'delete':
        return server.delete(type, { name: what.name });
      case 'change':
        return server.mergePatch(type, { name: what.name }, { spec: { forProvider: { size: ++changes } } });
      case 'label':
        return server.mergePatch(type, { name: what.name }, { metadata: { labels: { shard: what.shard } } });
      case 'answer':
        return answers.set(what.name, what.answer);
      case 'pass':
        return clock.advance(what.ms);
      default:
        return what satisfies never;
    }
  };
  return {
    keys,
    target,
    happen: (what: Happening) => happen(what).catch(() => undefined),
    deleteAll: async () => {
      for (const name of names) {
        answers.set(name, 'absent');
        await happen({ do: 'label', name, shard: 'a' }).catch(() => undefined);
        await happen({ do: 'delete', name }).catch(() => undefined);
        // A terminal error is not retried before a change.
        await happen({ do: 'change', name }).catch(() => undefined);
      }
      // Longer than the ownership delay, the longest backoff and the poll interval.
      for (let i = 0; i < 10; i++) await clock.advance(60_000);
      expect((await server.list(type)).items).toEqual([]);
    },
    end: async () => {
      await running.stop();
      await clock.advance(0);
      expect(clock.pending()).toBe(0);
    },
  };
}

const shards = ['', 'shard=a'];

/** The last change follows another one within a moment. */
const refusedTwice: Happening[] = [
  { do: 'answer', name: 'b', answer: 'terminal' },
  { do: 'delete', name: 'b' },
  { do: 'pass', ms: 0 },
  { do: 'change', name: 'b' },
  { do: 'create', name: 'a' },
];

test.each(reconcilers.flatMap((tested) => shards.map((shard) => ({ ...tested, shard }))))(
  'property: $reconciler: once all objects are gone, no state is kept for any request (shard "$shard")',
  async ({ shard, ...tested }) => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (happenings) => {
        const h = await setUp(tested, shard);
        for (const name of names) await h.happen({ do: 'create', name });
        await h.happen({ do: 'pass', ms: 1000 });
        kept += h.keys.kept().size;
        for (const what of happenings) await h.happen(what);
        await h.deleteAll();
        expect([...h.keys.kept()]).toEqual([]);
        expect(h.target.watchers()).toBe(0);
        await h.end();
      }),
      { numRuns: 25, examples: [[refusedTwice]] },
    );
    expect(kept).toBe(25 * names.length);
  },
  60_000,
);

test.each(reconcilers)(
  '$reconciler: a controller that stops keeps nothing and watches nothing',
  async (tested) => {
    const h = await setUp(tested, '');
    await h.happen({ do: 'answer', name: 'a', answer: 'waiting' });
    await h.happen({ do: 'create', name: 'a' });
    await h.happen({ do: 'pass', ms: 1000 });
    expect([h.keys.kept().size, h.target.watchers()]).toEqual([1, 1]);
    await h.end();
    expect([h.keys.kept().size, h.target.watchers()]).toEqual([0, 0]);
  },
);
