import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { propertyCampaign } from '../../../../test/campaign/campaign.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { annotationShardOwner } from '../../controller/reconcile/shard-ownership.ts';
import { highPriorityRequest } from '../../controller/reconcile-result.ts';
import { createMemoryClient, type MemoryClient } from '../../kube/fakes/memory-client.ts';
import { namespacedWidgets as type, type Widget, widget } from '../../kube/fakes/widget.ts';
import type { ReconcileContext } from '../kind/external-client.ts';
import { externalNameFrom } from '../resource/meta.ts';
import { reconcileOf, reconcilers, type TestedReconciler } from './any-reconciler.fixture.ts';
import { type ExternalSystem, type Found, sizeOf } from './external-system.fixture.ts';

/** The time for external calls; the external API ends each request within a sixth of it. */
const CALLS_MS = 6000;
const REQUEST_MS = 1000;
const HOLD_MS = 7000;
const key = { namespace: 'shop', name: 'w' };
const shards = ['s=0', 's=1', 's=2', ''] as const;
const SHARDS = 3;
/** The process that selects all resources. It runs alone. */
const ALL = 3;
const byLabel = [0, 1, 2];

/** An external write, from its sending to its end. */
interface Sent {
  readonly by: number;
  readonly from: number;
  readonly until: number;
}

/** The same numbers for the same seed. */
function drawing(seed: number) {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  let calm = false;
  return {
    upTo: (most: number) => Math.floor(next() * (most + 1)),
    often: () => !calm && next() < 0.7,
    rarely: () => !calm && next() < 0.1,
    calm: () => {
      calm = true;
    },
  };
}
type Draw = ReturnType<typeof drawing>;

/** A process that may stand still: nothing happens in it meanwhile, and its clock goes on or not. */
function createStandstill(time: FakeClock) {
  let ends: PromiseWithResolvers<void> | undefined;
  let since = 0;
  let missed = 0;
  let clockStops = false;
  const awake = async () => {
    while (ends !== undefined) await ends.promise;
  };
  const clock: Clock = {
    now: time.now,
    monotonic: () =>
      time.monotonic() - missed - (ends !== undefined && clockStops ? time.monotonic() - since : 0),
    after: (ms, fn) => {
      let cancelled = false;
      const fire = () => {
        if (!cancelled) fn();
      };
      const cancel = time.after(ms, () => void awake().then(fire));
      return () => {
        cancelled = true;
        cancel();
      };
    },
  };
  return {
    clock,
    awake,
    begin: (withClock: boolean) => {
      if (ends !== undefined) return;
      ends = Promise.withResolvers();
      since = time.monotonic();
      clockStops = withClock;
    },
    end: () => {
      if (ends === undefined) return;
      if (clockStops) missed += time.monotonic() - since;
      ends.resolve();
      ends = undefined;
    },
  };
}

/** One shard's process: its cache is as old as its last delivery, and everything that it says takes its time. */
function createProcess(environment: Environment, id: number) {
  const { time, server, draw, sent } = environment;
  const standstill = createStandstill(time);
  const { clock } = standstill;
  const shard = shards[id] ?? '';
  const travel = async <T>(call: () => Promise<T> | T): Promise<T> => {
    await sleep(time, draw.rarely() ? draw.upTo(1500) : draw.upTo(20));
    const answer = await call();
    await sleep(time, draw.rarely() ? draw.upTo(1500) : draw.upTo(20));
    await standstill.awake();
    return answer;
  };
  const client: typeof server = {
    ...server,
    get: (...args) => travel(() => server.get(...args)),
    update: (...args) => travel(() => server.update(...args)),
    updateStatus: (...args) => travel(() => server.updateStatus(...args)),
  };
  /** Sent when its turn comes, once or more, as a client does that gets no answer. */
  const change = async (ctx: ReconcileContext, effect: () => void) => {
    environment.changing.add(id);
    try {
      for (let attempt = draw.rarely() ? 3 : 1; attempt > 0; attempt--) {
        await sleep(clock, draw.often() ? draw.upTo(CALLS_MS) : draw.upTo(50), ctx.signal);
        ctx.assertMayWrite();
        const from = time.monotonic();
        const lasts = draw.upTo(REQUEST_MS);
        sent.push({ by: id, from, until: from + lasts });
        time.after(draw.upTo(lasts), effect);
        await sleep(time, lasts);
        await standstill.awake();
      }
    } finally {
      environment.changing.delete(id);
    }
  };
  const system: ExternalSystem = {
    observe: (resource) =>
      travel((): Found => {
        const name = `size-${sizeOf(resource)}`;
        if (environment.external === undefined) return { state: 'absent', name };
        return { state: environment.external === sizeOf(resource) ? 'settled' : 'drifted', name };
      }),
    create: (resource, ctx) => {
      expect(externalNameFrom(resource)).toBe(`size-${sizeOf(resource)}`);
      return change(ctx, () => {
        environment.external = sizeOf(resource);
      });
    },
    delete: (_, ctx) =>
      change(ctx, () => {
        environment.external = undefined;
      }),
  };
  let cached: Widget | undefined;
  let running: Promise<unknown> | undefined;
  const start = () =>
    reconcileOf(environment.tested, system, {
      type,
      client,
      clock,
      read: () => cached,
      labelSelector: shard,
      externalTimeoutMs: CALLS_MS,
    });
  let reconcile = start();
  return {
    ...standstill,
    /** The watch delivers the current objects; unselected ones are deleted. */
    deliver: () => {
      const stored = server.peek(type, key);
      cached = id === ALL || stored?.metadata.labels?.s === String(id) ? stored : undefined;
    },
    isRunning: () => running !== undefined,
    /** Not before the last one has ended, as a queue sees to. */
    pass: () => {
      if (running !== undefined) return;
      const pass = new AbortController();
      const cancel = clock.after(CALLS_MS + 30_000, () => pass.abort(new Error('too long')));
      running = reconcile('shop/w', pass.signal, highPriorityRequest)
        .catch(() => undefined)
        .finally(() => {
          cancel();
          running = undefined;
        });
    },
    /** Its successor knows only what is stored. The Lease sees to it that nothing of the old one runs any more. */
    restart: () => {
      if (running === undefined) reconcile = start();
    },
  };
}

interface Environment {
  readonly tested: TestedReconciler;
  readonly time: FakeClock;
  readonly server: MemoryClient;
  readonly draw: Draw;
  readonly sent: Sent[];
  /** The size of the external resource. */
  external: number | undefined;
  /** Processes that are about to change it, or do. */
  readonly changing: Set<number>;
}

const command = fc.record({
  do: fc.constantFrom(
    'move',
    'move',
    'resize',
    'vanish',
    'stop',
    'stop with its clock',
    'restart',
    'nothing',
  ),
  of: fc.nat(SHARDS - 1),
  /** Until the next one. */
  wait: fc.constantFrom(5, 100, 1000, 2500, CALLS_MS, HOLD_MS),
});
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

function createEnvironment(tested: TestedReconciler, seed: number) {
  const time = createFakeClock();
  const environment: Environment = {
    tested,
    time,
    server: createMemoryClient({ clock: time }),
    draw: drawing(seed),
    sent: [],
    external: undefined,
    changing: new Set(),
  };
  environment.server.seed(
    type,
    widget(type, { metadata: { labels: { s: '0' } }, spec: { forProvider: { size: 1 } } }),
  );
  const processes = shards.map((_, id) => createProcess(environment, id));
  const patch = (patch: unknown) => environment.server.mergePatch(type, key, patch).catch(() => undefined);
  const run = async ({ do: what, of, wait }: Command, ids: readonly number[]) => {
    const process = processes[of];
    switch (what) {
      case 'restart':
        process?.restart();
        break;
      case 'stop':
      case 'stop with its clock':
        // Those are stopped that it matters for.
        for (const id of environment.changing.size > 0 ? environment.changing : [of]) {
          processes[id]?.begin(what !== 'stop');
          time.after(environment.draw.upTo(3 * HOLD_MS), () => processes[id]?.end());
        }
        break;
      case 'move':
        await patch({ metadata: { labels: { s: String(of) } } });
        break;
      case 'resize':
        await patch({ spec: { forProvider: { size: of } } });
        break;
      case 'vanish':
        environment.external = undefined;
        break;
      default:
        break;
    }
    // Watches and queues do their work meanwhile, late at times.
    for (const id of ids) {
      if (environment.draw.often()) processes[id]?.deliver();
      if (environment.draw.often()) processes[id]?.pass();
    }
    await time.advance(wait);
  };
  /** From now on all processes run, and all events are delivered in time. */
  const settle = async (ids: readonly number[]) => {
    for (const process of processes) process.end();
    environment.draw.calm();
    await time.advance(60_000);
    for (let round = 0; round < 8; round++) {
      for (const id of ids) {
        processes[id]?.deliver();
        processes[id]?.pass();
      }
      await time.advance(round < 2 ? 60_000 : 2 * HOLD_MS);
    }
    expect(processes.some((process) => process.isRunning())).toBe(false);
  };
  const stored = () => environment.server.peek(type, key);
  return { ...environment, environment, run, settle, stored, patch };
}

/** Of two processes' requests, one must have been over before the other was sent. */
function overlaps(sent: readonly Sent[]): [Sent, Sent][] {
  return sent.flatMap((a, i) =>
    sent.slice(i + 1).flatMap((b): [Sent, Sent][] => {
      const apart = a.until <= b.from || b.until <= a.from;
      return a.by === b.by || apart ? [] : [[a, b]];
    }),
  );
}

/** Shrinking a failed scenario takes minutes, and its error has what is needed. */
const parameters = { ...propertyCampaign(30), endOnFailure: true };

const scenario = {
  commands: fc.array(command, { minLength: 10, maxLength: 80, size: 'max' }),
  seed: fc.nat(),
};

test.each(reconcilers)(
  'property: $reconciler: however a resource moves between shards, never do two shards write externally at a time, and it ends up to date',
  async (tested) => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ ...scenario, last: fc.nat(SHARDS - 1) }),
        async ({ commands, seed, last }) => {
          const h = createEnvironment(tested, seed);
          for (const each of commands) await h.run(each, byLabel);
          await h.patch({ metadata: { labels: { s: String(last) } } });
          await h.settle(byLabel);
          expect(overlaps(h.sent)).toEqual([]);
          const stored = h.stored();
          expect(h.environment.external).toBe(stored?.spec.forProvider.size);
          expect(tested.isSettled(stored)).toBe(true);
          expect(stored?.metadata.annotations).toMatchObject({ [annotationShardOwner]: `s=${last}` });
        },
      ),
      parameters,
    );
  },
  600_000,
);

test.each(reconcilers)(
  'property: $reconciler: a resource that is deleted while it moves leaves nothing behind, and never do two shards delete and create',
  async (tested) => {
    await fc.assert(
      fc.asyncProperty(fc.record({ ...scenario, at: fc.nat(80) }), async ({ commands, seed, at }) => {
        const h = createEnvironment(tested, seed);
        for (const [index, each] of commands.entries()) {
          if (index === at) await h.server.delete(type, key).catch(() => undefined);
          await h.run(each, byLabel);
        }
        await h.server.delete(type, key).catch(() => undefined);
        await h.settle(byLabel);
        expect(overlaps(h.sent)).toEqual([]);
        expect([h.stored(), h.environment.external]).toEqual([undefined, undefined]);
      }),
      parameters,
    );
  },
  600_000,
);

test.each(reconcilers)(
  'property: $reconciler: the same holds if one process owns all resources before the shards, and after them',
  async (tested) => {
    const alone = {
      before: fc.array(command, { maxLength: 10 }),
      after: fc.array(command, { maxLength: 10 }),
    };
    await fc.assert(
      fc.asyncProperty(fc.record({ ...scenario, ...alone }), async ({ commands, seed, before, after }) => {
        const h = createEnvironment(tested, seed);
        for (const each of before) await h.run(each, [ALL]);
        for (const each of commands) await h.run(each, byLabel);
        for (const each of after) await h.run(each, [ALL]);
        await h.settle([ALL]);
        expect(overlaps(h.sent)).toEqual([]);
        expect(h.environment.external).toBe(h.stored()?.spec.forProvider.size);
        expect(h.stored()?.metadata.annotations).not.toHaveProperty([annotationShardOwner]);
      }),
      parameters,
    );
  },
  600_000,
);
