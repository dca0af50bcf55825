import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import type { KubeClient, PartialObject, WatchEvent } from '../client/client.ts';
import { KubeApiError, UnreachableError } from '../errors/errors.ts';
import { type ControlledWatch, createControlledWatches } from '../fakes/controlled-watches.ts';
import { createMemoryClient } from '../fakes/memory-client.ts';
import { secrets } from '../object/resource-type.ts';
import { createObjectWatcher } from './object-watcher.ts';

const attempt = { verb: 'watch', object: 'secrets', clusterName: 'cluster test' };

/**
 * A server whose reads are up to date and whose watches lag behind by as many events as it likes, as those of a
 * busy API server with several replicas do.
 */
function laggingServer(clock: FakeClock) {
  const history: { readonly version: number; readonly name: string; readonly deleted: boolean }[] = [];
  const watches = createControlledWatches<PartialObject>();
  /** How much of the history the watch cache has seen. */
  let cached = 0;
  let sent = 0;
  let watch: ControlledWatch<PartialObject> | undefined;

  const stateAt = (length: number): Map<string, number> => {
    const state = new Map<string, number>();
    for (const { name, version, deleted } of history.slice(0, length)) {
      if (deleted) state.delete(name);
      else state.set(name, version);
    }
    return state;
  };
  const object = (name: string, version: number): PartialObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'shop', resourceVersion: String(version) },
  });
  const seen = (name: string) => String(stateAt(history.length).get(name) ?? 'absent');
  const client: KubeClient = {
    ...createMemoryClient({ clock }),
    watchMetadata: (_type, options = {}) => watches.watch(options),
  };
  return {
    client,
    seen,
    change: (name: string, deleted: boolean) => {
      if (deleted && seen(name) === 'absent') return;
      history.push({ version: 100 + history.length, name, deleted });
    },
    /** Brings the watch forward: opens it if it is not, then sends `count` events. */
    deliver: (count: number) => {
      cached = Math.min(history.length, cached + count);
      const latest = watches.all.at(-1);
      if (!latest?.isOpen()) return;
      if (latest !== watch) {
        watch = latest;
        latest.open();
        const from = latest.options.resourceVersion;
        if (from === undefined) {
          const state = stateAt(cached);
          latest.send(
            ...[...state].map(([name, version]) => ({
              type: 'ADDED' as const,
              object: object(name, version),
            })),
          );
          sent = cached;
        } else {
          sent = history.findIndex(({ version }) => version > Number(from));
          if (sent < 0) sent = history.length;
        }
      }
      const events = history.slice(sent, Math.max(sent, cached)).map(
        ({ name, version, deleted }): WatchEvent<PartialObject> => ({
          type: deleted ? 'DELETED' : 'MODIFIED',
          object: object(name, version),
        }),
      );
      latest.send(...events);
      sent = Math.max(sent, cached);
    },
    cut: (gap: boolean) => {
      const error = gap
        ? new KubeApiError(attempt, { httpStatus: 410 })
        : new UnreachableError(attempt, 'cut');
      if (watches.all.at(-1)?.isOpen()) watches.all.at(-1)?.fail(error);
    },
  };
}

const name = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ do: fc.constant('change' as const), name, deleted: fc.boolean() }),
  fc.record({ do: fc.constant('observe' as const), name }),
  fc.record({ do: fc.constant('deliver' as const), count: fc.nat(3) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 99, 500, 3000) }),
  fc.record({ do: fc.constant('cut' as const), gap: fc.boolean() }),
);

test('whatever the order of reads, changes, lags and cuts: who saw something else than there is now has been changes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = createFakeClock();
      const server = laggingServer(clock);
      const objectWatcher = createObjectWatcher({ client: server.client, clock, random: () => 0.5 });
      const observed: { name: string; seen: string; changes: number; current: () => boolean }[] = [];
      for (const each of steps) {
        if (each.do === 'change') server.change(each.name, each.deleted);
        else if (each.do === 'deliver') server.deliver(each.count);
        else if (each.do === 'cut') server.cut(each.gap);
        else if (each.do === 'wait') await clock.advance(each.ms);
        else {
          const entry = { name: each.name, seen: server.seen(each.name), changes: 0, current: () => false };
          const key = { namespace: 'shop', name: each.name };
          entry.current = objectWatcher.watch(secrets, key, entry.seen, () => entry.changes++).isCurrent;
          observed.push(entry);
        }
        await clock.advance(0);
      }
      // The network holds and the watch catches up; a cut may have left it waiting for its next attempt.
      for (let i = 0; i < 10; i++) {
        server.deliver(1000);
        await clock.advance(2000);
      }
      for (const { name: of, seen, changes, current } of observed) {
        if (server.seen(of) !== seen) {
          expect({ of, seen, changes: changes > 0 }).toEqual({ of, seen, changes: true });
          expect(current()).toBe(false);
        } else if (changes === 0) expect(current()).toBe(true);
      }
      objectWatcher.close();
    }),
    { numRuns: 300 },
  );
});
