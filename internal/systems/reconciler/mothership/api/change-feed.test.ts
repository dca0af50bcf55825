import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../../../framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../../../framework/base/time/clock.ts';
import { createFakeClock, type FakeClock } from '../../../../framework/base/time/fake-clock.ts';
import { startHttpServer } from '../../../../framework/process/server/http-server.ts';
import { createChangeFeed, MAX_STREAMS, MAX_STREAMS_OF_CLIENT } from './change-feed.ts';
import { createListener } from './create-listener.ts';
import { openLogin } from './login/login.ts';
import { eventRoute } from './routes/overview-routes.ts';

function started() {
  const fake = createFakeClock();
  /** Called after each timer, before what waits for it goes on. */
  const hooks: { onTimer: () => void } = { onTimer: () => {} };
  const clock: FakeClock = {
    ...fake,
    after: (delayMs, fn) =>
      fake.after(delayMs, () => {
        fn();
        hooks.onTimer();
      }),
  };
  const stop = new AbortController();
  const database = { state: 'a', reads: 0, fails: false };
  const feed = createChangeFeed({
    clock,
    log: nopLogger,
    signal: stop.signal,
    state: async () => {
      database.reads++;
      if (database.fails) throw new Error('no database');
      return database.state;
    },
  });
  const open = (client = 'a') => {
    const leaving = new AbortController();
    const stream = feed.open(client, leaving.signal);
    const seen = { events: [] as string[], isOpen: true };
    const read = async () => {
      for await (const chunk of stream) {
        seen.events.push(...(/^event: (\w+)/m.exec(new TextDecoder().decode(chunk))?.slice(1) ?? []));
      }
      seen.isOpen = false;
    };
    void read();
    return { seen, leave: () => leaving.abort() };
  };
  return { clock, hooks, stop, database, feed, open };
}

test('a client is told at the beginning, once for a change, and that the server is there', async () => {
  const { clock, database, open } = started();
  const { seen } = open();
  await clock.advance(10_000);
  expect(seen.events).toEqual(['change']);
  database.state = 'b';
  await clock.advance(1500);
  expect(seen.events).toEqual(['change', 'change']);
  await clock.advance(15_000);
  expect(seen.events).toEqual(['change', 'change', 'alive']);
});

test('changes that follow each other at once are one event in each second', async () => {
  const { clock, database, open } = started();
  const { seen } = open();
  await clock.advance(1000);
  for (let change = 0; change < 100; change++) {
    database.state = `${change}`;
    await clock.advance(100);
  }
  expect(seen.events.length).toBeGreaterThanOrEqual(9);
  expect(seen.events.length).toBeLessThanOrEqual(12);
});

test('all clients share one query, a new client gets an event of its own, and without a client there is no query', async () => {
  const { clock, database, open } = started();
  const streams = [open('a'), open('b'), open('c')];
  await clock.advance(10_000);
  expect(database.reads).toBeLessThanOrEqual(11);
  const late = open('d');
  await clock.advance(2000);
  expect([late, ...streams].map(({ seen }) => seen.events)).toEqual(Array(4).fill(['change']));
  for (const { leave } of [late, ...streams]) leave();
  await clock.advance(2000);
  const before = database.reads;
  await clock.advance(60_000);
  expect([database.reads, clock.pending()]).toEqual([before, 0]);
  const again = open();
  await clock.advance(2000);
  expect(again.seen.events).toEqual(['change']);
});

test('a client that leaves between a change and its event delays no other client', async () => {
  const { clock, database, open } = started();
  const leaving = open('a');
  await clock.advance(2000);
  database.state = 'b';
  const { seen } = open('b');
  await clock.advance(1200);
  leaving.leave();
  await clock.advance(1000);
  expect(seen.events).toEqual(['change']);
});

test('a change that the database did not tell is told when it is back', async () => {
  const { clock, database, open } = started();
  const { seen } = open();
  await clock.advance(2000);
  database.fails = true;
  database.state = 'b';
  const before = database.reads;
  await clock.advance(20_000);
  expect(seen.events.filter((event) => event === 'change')).toHaveLength(1);
  // A database that is down is not asked each second.
  expect(database.reads - before).toBeLessThanOrEqual(5);
  database.fails = false;
  await clock.advance(6000);
  expect(seen.events.filter((event) => event === 'change')).toHaveLength(2);
});

test('a client that comes at any moment after the last one has left gets its event', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const { clock, hooks, open } = started();
    const first = open();
    await clock.advance(700);
    first.leave();
    let late: ReturnType<typeof open> | undefined;
    hooks.onTimer = async () => {
      hooks.onTimer = () => {};
      for (let turn = 0; turn < turns; turn++) await undefined;
      late = open();
    };
    await clock.advance(3000);
    expect([turns, late?.seen.events]).toEqual([turns, ['change']]);
  }
});

test('a client that comes when the server has stopped has no stream', async () => {
  const { clock, stop, open } = started();
  stop.abort();
  const { seen } = open();
  await clock.advance(0);
  expect([seen.isOpen, clock.pending()]).toEqual([false, 0]);
});

test('a stream ends after ten minutes, and all of them when the server stops', async () => {
  const { clock, stop, open } = started();
  const first = open();
  await clock.advance(599_000);
  expect(first.seen.isOpen).toBe(true);
  const second = open();
  await clock.advance(2000);
  expect([first.seen.isOpen, second.seen.isOpen]).toEqual([false, true]);
  stop.abort();
  await clock.advance(0);
  expect([second.seen.isOpen, clock.pending()]).toEqual([false, 0]);
});

test('streams are limited for each client and for all, and free again when they end', async () => {
  const { clock, feed, open } = started();
  const own = Array.from({ length: MAX_STREAMS_OF_CLIENT }, () => open('a'));
  const more = (client: string) => () => feed.open(client, new AbortController().signal);
  expect(more('a')).toThrow('pages of a client');
  for (let client = 1; client < MAX_STREAMS / MAX_STREAMS_OF_CLIENT; client++) {
    for (let stream = 0; stream < MAX_STREAMS_OF_CLIENT; stream++) open(`${client}`);
  }
  expect(more('another')).toThrow('of all');
  own[0]?.leave();
  await clock.advance(0);
  expect(more('another')).not.toThrow();
});

test('a client that reads nothing has no stream any more', async () => {
  const { clock, database, feed } = started();
  const stream = feed.open('a', new AbortController().signal);
  for (let change = 0; change < 40; change++) {
    database.state = `${change}`;
    await clock.advance(2000);
  }
  expect(clock.pending()).toBe(0);
  let chunks = 0;
  for await (const _ of stream) chunks++;
  expect(chunks).toBeLessThan(20);
});

describe('a request over HTTP takes no stream', () => {
  const serve = async (signal: AbortSignal) => {
    const options = { clock: systemClock, log: nopLogger, signal };
    const listener = await createListener({
      ...options,
      routes: [eventRoute(createChangeFeed({ ...options, state: async () => 'a' }))],
      ...{ pages: {}, login: openLogin({ believesXJwt: false }), audit: undefined, needsCertificate: false },
    });
    return startHttpServer({ ...options, address: '127.0.0.1:0', listener, maxBodyBytes: 1000 });
  };
  const statusOf = (address: string, request: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
      socket.once('data', (head) => {
        resolve(String(head).split(' ', 2)[1] ?? '');
        socket.destroy();
      });
      socket.write(request);
    });

  test.each([
    ['for its headers alone', 'HEAD /v1/events HTTP/1.1\r\nhost: localhost\r\n\r\n', '200'],
    ['with a body', 'GET /v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n\r\nx', '400'],
  ])('%s', async (_, request, status) => {
    const stop = new AbortController();
    const server = await serve(stop.signal);
    for (let n = 0; n <= MAX_STREAMS_OF_CLIENT; n++)
      expect(await statusOf(server.address, request)).toBe(status);
    stop.abort(new Error('stopped'));
    await server.close(AbortSignal.abort());
  });
});
