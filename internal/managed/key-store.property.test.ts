import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError, WaitingError } from '../base/errors/errors.ts';
import { createFakeWatchedObject } from '../base/errors/fake-watched-object.ts';
import { createFakeMetrics } from '../base/telemetry/fake-metrics.ts';
import { nopLogger } from '../base/telemetry/logger.ts';
import { createFakeClock } from '../base/time/fake-clock.ts';
import { createKeyStore } from '../controller/key-store.ts';
import { createInformer } from '../kube/cache/informer.ts';
import { createFakeRecorder } from '../kube/fakes/fake-recorder.ts';
import { createMemoryClient } from '../kube/fakes/memory-client.ts';
import { clusterWidgets as type, type Widget, widget } from './fakes/managed-harness.ts';
import { createManagedController } from './managed-controller.ts';

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
/** What an external API may answer. */
const answer = fc.constantFrom(
  'absent' as const,
  'differs' as const,
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

async function setUp(shard: string) {
  const clock = createFakeClock();
  const server = createMemoryClient({ clock });
  const keys = createKeyStore();
  const target = createFakeWatchedObject('source');
  const answers = new Map<string, Extract<Happening, { do: 'answer' }>['answer']>();
  const refuse = async (resource: Widget) => {
    if (answers.get(resource.metadata.name) === 'terminal') throw new ProviderError('terminal', 'refused');
    return {};
  };
  const common = { clock, random: () => 0.5, log: nopLogger, metrics: createFakeMetrics() };
  const selection = shard === '' ? {} : { labelSelector: shard };
  const cache = createInformer({ ...common, client: server, type, selection });
  const controller = createManagedController<Widget>({
    ...common,
    ...selection,
    client: server,
    cache,
    keys,
    recorder: createFakeRecorder(),
    kind: {
      type,
      initializers: [],
      deterministicExternalName: true,
      creationGracePeriodMs: 0,
      connector: {
        connect: async () => ({
          observe: async ({ metadata }) => {
            const said = answers.get(metadata.name) ?? 'settled';
            switch (said) {
              case 'waiting':
                throw new WaitingError('there is no source', { targets: [target] });
              case 'failed':
                throw new ProviderError('transient', 'it failed');
              case 'pending':
                return { state: 'pending', operation: 'copying', checkAfterMs: 5000 };
              case 'settled':
                return { state: 'present', upToDate: true };
              case 'differs':
              case 'terminal':
                return { state: 'present', upToDate: false };
              case 'absent':
                return { state: 'absent', externalName: metadata.name };
              default:
                return said satisfies never;
            }
          },
          create: refuse,
          update: refuse,
          delete: refuse,
        }),
      },
    },
  });
  const stop = cache.start();
  controller.watch();
  await clock.advance(0);
  controller.work();
  const happen = async (what: Happening): Promise<unknown> => {
    switch (what.do) {
      case 'create':
        return server.create(type, widget(type, { metadata: { name: what.name, labels: { shard: 'a' } } }));
      case 'delete':
        return server.delete(type, { name: what.name });
      case 'change':
        return server.mergePatch(type, { name: what.name }, { spec: { forProvider: { size: clock.now() } } });
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
      }
      // Longer than the ownership delay, the longest backoff and the poll interval.
      for (let i = 0; i < 10; i++) await clock.advance(60_000);
      expect((await server.list(type)).items).toEqual([]);
    },
    end: async () => {
      stop();
      await controller.stop();
      await clock.advance(0);
      expect(clock.pending()).toBe(0);
    },
  };
}

test.each(['', 'shard=a'])(
  'property: once all objects are gone, no state is kept for any request (shard "%s")',
  async (shard) => {
    let kept = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (happenings) => {
        const h = await setUp(shard);
        for (const name of names) await h.happen({ do: 'create', name });
        await h.happen({ do: 'pass', ms: 1000 });
        kept += h.keys.kept().size;
        for (const what of happenings) await h.happen(what);
        await h.deleteAll();
        expect([...h.keys.kept()]).toEqual([]);
        expect(h.target.watchers()).toBe(0);
        await h.end();
      }),
      { numRuns: 50 },
    );
    expect(kept).toBe(50 * names.length);
  },
  60_000,
);

test('a controller that stops keeps nothing and watches nothing', async () => {
  const h = await setUp('');
  await h.happen({ do: 'answer', name: 'a', answer: 'waiting' });
  await h.happen({ do: 'create', name: 'a' });
  await h.happen({ do: 'pass', ms: 1000 });
  expect([h.keys.kept().size, h.target.watchers()]).toEqual([1, 1]);
  await h.end();
  expect([h.keys.kept().size, h.target.watchers()]).toEqual([0, 0]);
});
