import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProviderError } from '../../base/errors/errors.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { KubeTimeoutError, UnreachableError } from '../errors/errors.ts';
import type { KubeObject, ObjectKey } from '../object/object.ts';
import { type ResourceType, secrets } from '../object/resource-type.ts';
import { createSharedReads, SPACING_MS } from './shared-reads.ts';

/** An object that says which GET brought it. */
interface Sample extends KubeObject {
  readonly data: { readonly begun: number };
}
const samples: ResourceType<Sample> = {
  group: 'example.org',
  version: 'v1',
  kind: 'Sample',
  plural: 'samples',
  namespaced: true,
};
/** One GET as the server sees it. */
interface Read {
  readonly object: string;
  readonly begun: number;
  /** By the monotonic clock. */
  readonly at: number;
  failed?: boolean;
  readonly signal: AbortSignal;
  end(outcome: 'answered' | 'failed' | 'timed-out' | 'throttled'): void;
  ended: boolean;
}
interface Ask {
  readonly object: string;
  readonly asked: number;
  readonly controller: AbortController;
  outcome?: { readonly object: Sample } | { readonly error: unknown };
}

const names = ['a', 'b'] as const;
const step = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), name: fc.constantFrom(...names) }),
  fc.record({ do: fc.constant('abort' as const), which: fc.nat() }),
  fc.record({
    do: fc.constant('end' as const),
    which: fc.nat(),
    outcome: fc.constantFrom(
      'answered' as const,
      'answered' as const,
      'failed' as const,
      'timed-out' as const,
    ),
  }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: SPACING_MS }) }),
);
const attempt = { verb: 'get', object: 'ConfigMap', clusterName: 'test cluster' };
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A server whose responses the test controls. Questions and GETs have their numbers from one sequence. */
function setUp() {
  const clock = createFakeClock();
  let now = 0;
  const begun: Read[] = [];
  const asks: Ask[] = [];
  const get = <T extends KubeObject>(_: unknown, key: ObjectKey, options?: { signal?: AbortSignal }) =>
    new Promise<T>((resolve, reject) => {
      const { signal } = options ?? {};
      if (signal === undefined) throw new Error('a GET must be abortable');
      const read: Read = {
        object: key.name,
        begun: ++now,
        at: clock.monotonic(),
        signal,
        ended: false,
        end: (outcome) => {
          if (read.ended) return;
          read.ended = true;
          read.failed = outcome !== 'answered';
          if (outcome === 'failed') reject(new UnreachableError(attempt, 'refused'));
          else if (outcome === 'throttled') reject(new ProviderError('throttled', 'no slot is free'));
          else if (outcome === 'timed-out') reject(new KubeTimeoutError(attempt, 'no answer within 30 s'));
          else {
            const object: Sample = {
              apiVersion: 'example.org/v1',
              kind: 'Sample',
              metadata: { ...key },
              data: { begun: read.begun },
            };
            resolve(object as KubeObject as T);
          }
        },
      };
      begun.push(read);
      signal.addEventListener('abort', () => {
        read.ended = true;
        read.failed = true;
        reject(signal.reason);
      });
    });
  const reads = createSharedReads({ client: { get }, clock });
  return {
    clock,
    begun,
    asks,
    running: () => begun.filter(({ ended }) => !ended),
    ask: (name: string) => {
      const ask: Ask = { object: name, asked: ++now, controller: new AbortController() };
      asks.push(ask);
      reads.get(samples, { namespace: 'n', name }, ask.controller.signal).then(
        (object) => {
          ask.outcome = { object };
        },
        (error: unknown) => {
          ask.outcome = { error };
        },
      );
    },
  };
}

test('property: every answer is of a GET that began after the question; one GET of an object is in flight at most, and the next begins later', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.boolean(), async (steps, quick) => {
      const h = setUp();
      const check = () => {
        for (const name of names) {
          expect(h.running().filter(({ object }) => object === name).length).toBeLessThanOrEqual(1);
          const [last, next] = h.begun.filter(({ object }) => object === name).slice(-2);
          if (last?.failed === false && next) expect(next.at - last.at).toBeGreaterThanOrEqual(SPACING_MS);
        }
      };
      for (const each of steps) {
        if (each.do === 'ask') h.ask(each.name);
        else if (each.do === 'abort') h.asks[each.which % h.asks.length]?.controller.abort(new Error('left'));
        else if (each.do === 'wait') await h.clock.advance(each.ms);
        else {
          const running = h.running();
          running[each.which % running.length]?.end(each.outcome);
        }
        check();
        // With and without time for what follows of the step.
        if (!quick) await settle();
        check();
      }
      // All that is left is answered: nothing waits for ever.
      for (let rounds = 0; rounds < 5; rounds++) {
        await settle();
        await h.clock.advance(SPACING_MS);
        await settle();
        check();
        for (const read of h.running()) read.end('answered');
      }
      await settle();
      expect(h.running()).toEqual([]);
      await h.clock.advance(SPACING_MS);
      expect(h.clock.pending()).toBe(0);
      for (const { outcome, asked, object, controller } of h.asks) {
        if (outcome === undefined) throw new Error('a question without an answer');
        if ('object' in outcome) {
          expect(outcome.object.metadata.name).toBe(object);
          expect(outcome.object.data.begun).toBeGreaterThan(asked);
        } else if (!controller.signal.aborted) expect(outcome.error).toBeInstanceOf(UnreachableError);
      }
      // A GET is aborted only when all its callers are aborted: the others never see an abort.
      const stayed = h.asks.filter(({ controller }) => !controller.signal.aborted);
      for (const { outcome } of stayed) {
        expect(outcome && 'error' in outcome ? String(outcome.error) : '').not.toMatch(
          /left|all callers were aborted/,
        );
      }
    }),
    { numRuns: 300 },
  );
}, 60_000);

test('many that ask at once take two GETs: the first takes one alone, as it had begun when the others asked', async () => {
  const h = setUp();
  h.ask('a');
  await settle();
  for (let i = 0; i < 50; i++) h.ask('a');
  await settle();
  expect(h.begun).toHaveLength(1);
  h.running()[0]?.end('answered');
  await settle();
  expect(h.begun).toHaveLength(1);
  h.ask('a');
  await h.clock.advance(SPACING_MS);
  await settle();
  h.running()[0]?.end('answered');
  await settle();
  expect(h.begun).toHaveLength(2);
  expect(h.asks.every(({ outcome }) => outcome && 'object' in outcome)).toBe(true);
});

test('one that leaves does not end the GET for the others, the last one does', async () => {
  const h = setUp();
  h.ask('a');
  h.ask('a');
  await settle();
  h.asks[0]?.controller.abort(new Error('left'));
  await settle();
  expect(h.begun[0]?.signal.aborted).toBe(false);
  h.asks[1]?.controller.abort(new Error('left'));
  await settle();
  expect(h.begun[0]?.signal.aborted).toBe(true);
});

test('the abort of a running GET begins the next one for those that wait', async () => {
  const h = setUp();
  h.ask('a');
  await settle();
  h.ask('a');
  h.asks[0]?.controller.abort(new Error('left'));
  await settle();
  expect(h.begun).toHaveLength(2);
  h.running()[0]?.end('answered');
  await settle();
  expect(h.asks[1]?.outcome).toMatchObject({ object: { metadata: { name: 'a' } } });
});

test.each([
  { outcome: 'timed-out' as const, error: expect.any(KubeTimeoutError) },
  { outcome: 'throttled' as const, error: expect.objectContaining({ kind: 'throttled' }) },
])('a GET that is $outcome also fails those that wait for the next one', async ({ outcome, error }) => {
  const h = setUp();
  h.ask('a');
  await settle();
  h.ask('a');
  h.running()[0]?.end(outcome);
  await settle();
  expect(h.begun).toHaveLength(1);
  expect(h.asks.map((ask) => ask.outcome)).toEqual([{ error }, { error }]);
  // Those that ask later begin anew.
  h.ask('a');
  await settle();
  expect(h.begun).toHaveLength(2);
});

test('an answer that is a refusal goes only to those whose GET it was', async () => {
  const h = setUp();
  h.ask('a');
  await settle();
  h.ask('a');
  h.running()[0]?.end('failed');
  await settle();
  expect(h.begun).toHaveLength(2);
  h.running()[0]?.end('answered');
  await settle();
  expect(h.asks[1]?.outcome).toMatchObject({ object: { data: { begun: h.begun[1]?.begun } } });
});

test('the object is shared, so it is frozen', async () => {
  const h = setUp();
  h.ask('a');
  h.ask('a');
  await settle();
  h.running()[0]?.end('answered');
  await settle();
  const [first, second] = h.asks.map(({ outcome }) =>
    outcome && 'object' in outcome ? outcome.object : undefined,
  );
  expect(first).toBe(second);
  expect([first, first?.data, first?.metadata].every(Object.isFrozen)).toBe(true);
});

test('objects of the same name and of another type, version or namespace are read for themselves', async () => {
  const begun: string[] = [];
  const get = async <T extends KubeObject>(type: { version: string; kind: string }, key: ObjectKey) => {
    begun.push(`${type.version} ${type.kind} ${key.namespace}`);
    return { apiVersion: 'v1', kind: type.kind, metadata: key } as KubeObject as T;
  };
  const reads = createSharedReads({ client: { get }, clock: createFakeClock() });
  const { signal } = new AbortController();
  const answers = await Promise.all([
    reads.get(samples, { namespace: 'n', name: 'a' }, signal),
    reads.get({ ...samples, version: 'v2' }, { namespace: 'n', name: 'a' }, signal),
    reads.get(secrets, { namespace: 'n', name: 'a' }, signal),
    reads.get(secrets, { namespace: 'm', name: 'a' }, signal),
  ]);
  expect(answers.map(({ kind }) => kind)).toEqual(['Sample', 'Sample', 'Secret', 'Secret']);
  expect(begun).toEqual(['v1 Sample n', 'v2 Sample n', 'v1 Secret n', 'v1 Secret m']);
});
