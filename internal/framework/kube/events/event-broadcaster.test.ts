import { beforeEach, describe, expect, test } from '@jest/globals';
import { createFakeMetrics, type FakeMetrics } from '../../base/telemetry/fake-metrics.ts';
import { createFakeClock, type FakeClock } from '../../base/time/fake-clock.ts';
import { UnreachableError } from '../errors/errors.ts';
import { apiError, createMemoryClient, type MemoryClient } from '../fakes/memory-client.ts';
import type { CoreEvent } from '../object/core-event.ts';
import { events } from '../object/resource-type.ts';
import {
  createEventBroadcaster,
  type EventBroadcaster,
  type EventBroadcasterOptions,
} from './event-broadcaster.ts';

let clock: FakeClock;
let client: MemoryClient;
let metrics: FakeMetrics;
let broadcaster: EventBroadcaster;

beforeEach(() => {
  clock = createFakeClock();
  client = createMemoryClient({ clock });
  metrics = createFakeMetrics();
  start();
});

function start(more: Partial<EventBroadcasterOptions> = {}): void {
  broadcaster = createEventBroadcaster({ client, clock, random: () => 0.5, metrics, ...more });
}

const object = { apiVersion: 'g/v1', kind: 'K', metadata: { name: 'm', namespace: 'shop', uid: 'u' } };
const record = (message: string, name = 'm', namespace = 'shop') =>
  broadcaster
    .recorderFor('managed/k')
    .record({ ...object, metadata: { ...object.metadata, name, namespace } }, 'Normal', 'Created', message);
const written = async () => (await client.list(events)).items;
const verbs = () => client.requests.filter(({ type }) => type.kind === 'Event').map(({ verb }) => verb);
const attempt = { verb: 'create', object: 'Event', clusterName: 'memory cluster' };

test('an event is created, its repetition is a patch of the count', async () => {
  record('x');
  await clock.advance(5000);
  record('x');
  await clock.advance(0);
  expect(verbs()).toEqual(['create', 'patch']);
  expect(await written()).toMatchObject([
    { message: 'x', count: 2, lastTimestamp: '2024-01-01T00:00:05Z', source: { component: 'managed/k' } },
  ]);
});

test('events at the same time have unique names', async () => {
  for (let i = 0; i < 5; i++) record(`x${i}`);
  await clock.advance(0);
  expect(new Set((await written()).map(({ metadata }) => metadata.name)).size).toBe(5);
});

test('a repetition of an event that has expired is created anew', async () => {
  record('x');
  await clock.advance(0);
  const [event] = await written();
  if (event) await client.delete(events, { namespace: 'shop', name: event.metadata.name });
  record('x');
  await clock.advance(0);
  expect(await written()).toMatchObject([{ message: 'x', count: 2 }]);
});

test('credentials are taken out of messages, also by the given scrubber', async () => {
  record('password=hunter22 failed');
  start({ scrub: (text) => text.replace('hunter22', '***') });
  record('login hunter22 failed', 'n');
  await clock.advance(0);
  expect(JSON.stringify(client.requests)).not.toContain('hunter22');
});

describe('trouble with the API server', () => {
  test('of the passing sort is outlasted, in the order of the events', async () => {
    let away = true;
    client.onRequest(() => {
      if (away) throw new UnreachableError(attempt, 'refused');
    });
    record('first');
    record('second');
    await clock.advance(35_000);
    away = false;
    await clock.advance(10_000);
    expect((await written()).map(({ message }) => message).sort()).toEqual(['first', 'second']);
    expect(verbs().slice(0, 4)).toEqual(['create', 'create', 'create', 'create']);
  });

  test('of the passing sort for longer than two minutes loses the event, not those that follow', async () => {
    let away = true;
    client.onRequest(() => {
      if (away) throw new UnreachableError(attempt, 'refused');
    });
    record('lost');
    await clock.advance(120_000);
    away = false;
    record('kept');
    await clock.advance(0);
    expect((await written()).map(({ message }) => message)).toEqual(['kept']);
    expect(metrics.value('events_dropped_total', { cluster: 'management', why: 'refused' })).toBe(1);
  });

  test('that is a refusal is not repeated', async () => {
    client.onRequest(({ verb }) => {
      if (verb === 'create') throw apiError(403, 'Forbidden');
    });
    record('x');
    await clock.advance(60_000);
    expect(verbs()).toEqual(['create']);
  });

  test('that hides a success does not make two', async () => {
    let lost = true;
    client.onRequest(() => {
      if (!lost) throw apiError(409, 'AlreadyExists');
      lost = false;
      throw new UnreachableError(attempt, 'reset');
    });
    record('x');
    await clock.advance(10_000);
    expect(verbs()).toEqual(['create', 'create']);
    expect(metrics.value('events_dropped_total', { cluster: 'management', why: 'refused' })).toBe(0);
  });

  test('fills a queue of bounded length; what does not fit is dropped and counted', async () => {
    start({ queueSize: 3 });
    client.onRequest(() => {
      throw new UnreachableError(attempt, 'refused');
    });
    for (let i = 0; i < 10; i++) record('x', `m${i}`);
    expect(metrics.value('events_dropped_total', { cluster: 'management', why: 'queue full' })).toBe(3);
  });

  test('a namespace with very many events drops none of others', async () => {
    start({ queueSize: 20 });
    let isAway = true;
    client.onRequest(() => {
      if (isAway) throw new UnreachableError(attempt, 'refused');
    });
    for (let i = 0; i < 100; i++) record('x', `m${i}`, 'hostile');
    for (const namespace of ['honest-a', 'honest-b'])
      for (let i = 0; i < 5; i++) record('y', `n${i}`, namespace);
    for (let i = 0; i < 100; i++) record('z', `o${i}`, 'hostile');
    isAway = false;
    await clock.advance(60_000);
    const all = await written();
    const of = (namespace: string) => all.filter((each) => each.metadata.namespace === namespace).length;
    expect([of('honest-a'), of('honest-b'), of('hostile') > 5]).toEqual([5, 5, true]);
    // Of its own ones the first say how it began.
    const kept = all.filter(({ metadata }) => metadata.namespace === 'hostile');
    const numbers = kept.map((each) => Number((each as CoreEvent).involvedObject.name?.slice(1)));
    expect(Math.max(...numbers)).toBeLessThan(20);
  });
});

test('events of several objects are written at the same time, four at most, those of one object in their order', async () => {
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const create: MemoryClient['create'] = async (type, body, options) => {
    const { involvedObject, message } = body as unknown as CoreEvent;
    begun.push(`${involvedObject.name} ${message}`);
    await new Promise<void>((resolve) => ends.push(resolve));
    return client.create(type, body, options);
  };
  start({ client: { ...client, create } });
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    record('1', name);
    record('2', name);
  }
  await clock.advance(0);
  expect(begun).toEqual(['a 1', 'b 1', 'c 1', 'd 1']);
  ends.shift()?.();
  await clock.advance(0);
  expect(begun.slice(4)).toEqual(['a 2']);
  while (ends.length > 0) {
    ends.shift()?.();
    await clock.advance(0);
  }
  expect(begun).toHaveLength(10);
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    expect(begun.filter((text) => text.startsWith(name))).toEqual([`${name} 1`, `${name} 2`]);
  }
});

test('recording never throws, whatever it is given', () => {
  const odd = { apiVersion: 'v1', kind: 'K' } as never;
  expect(() => broadcaster.recorderFor('c').record(odd, 'Normal', 'R', 'x')).not.toThrow();
});

describe('closing', () => {
  test('writes what waits, and takes no more', async () => {
    record('x');
    record('y');
    await broadcaster.close();
    record('z');
    await clock.advance(0);
    expect((await written()).map(({ message }) => message).sort()).toEqual(['x', 'y']);
  });

  test('does not wait for a server that is away: one more try, and that was it', async () => {
    client.onRequest(() => {
      throw new UnreachableError(attempt, 'refused');
    });
    record('x');
    await clock.advance(0);
    await broadcaster.close();
    expect(verbs()).toEqual(['create', 'create']);
    expect(clock.pending()).toBe(0);
  });

  test('ends at the latest when the signal says so', async () => {
    client.onRequest(() => new Promise(() => undefined));
    record('x');
    await broadcaster.close(AbortSignal.abort());
  });
});
