import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { nopLogger } from '../../base/telemetry/telemetry.ts';
import { systemClock } from '../../base/time/clock.ts';
import { createFakeClock } from '../../base/time/fake-clock.ts';
import { type HealthCheck, healthPage } from '../manager.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
import { isOff } from './listen.ts';
import { pagesListener, textPage } from './pages.ts';
import type { RequestListener } from './request-listener.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close(AbortSignal.abort());
});
async function startServer(options: Pick<HttpServerOptions, 'listener'> & Partial<HttpServerOptions>) {
  const server = await startHttpServer({
    address: '127.0.0.1:0',
    clock: systemClock,
    log: nopLogger,
    ...options,
  });
  open.push(server);
  return server;
}
const start = (address = '127.0.0.1:0') =>
  startServer({
    address,
    listener: pagesListener({
      '/hello': () => textPage(200, 'hello\n'),
      '/parts/*': (part) => textPage(200, `part ${part}\n`),
      '/broken': () => {
        throw new Error('credential in here');
      },
    }),
  });

describe('pages', () => {
  test('pages are served by path, whatever the query', async () => {
    const { address } = await start();
    const response = await fetch(`http://${address}/hello?verbose`);
    expect([response.status, await response.text()]).toEqual([200, 'hello\n']);
  });

  test('a page gets the rest of its path', async () => {
    const { address } = await start();
    for (const [path, part] of [
      ['/parts/a', 'a'],
      ['/parts/managed/widget.example.org?verbose', 'managed/widget.example.org'],
      ['/parts/managed%2Fwidget', 'managed/widget'],
    ]) {
      expect(await (await fetch(`http://${address}${path}`)).text()).toBe(`part ${part}\n`);
    }
    expect((await fetch(`http://${address}/parts`)).status).toBe(404);
    expect((await fetch(`http://${address}/part%`)).status).toBe(404);
  });

  test('other paths, even those of every object, are not found', async () => {
    const { address } = await start();
    for (const path of ['/', '/hello/', '/constructor', '/__proto__']) {
      expect((await fetch(`http://${address}${path}`)).status).toBe(404);
    }
  });

  test('an idle connection is kept for longer than API servers keep it, which would send a review on one that ends', async () => {
    const { address } = await start();
    const { headers } = await fetch(`http://${address}/hello`);
    expect(Number(headers.get('keep-alive')?.replace('timeout=', ''))).toBeGreaterThan(90);
  });

  test('nothing but reading is allowed', async () => {
    const { address } = await start();
    expect((await fetch(`http://${address}/hello`, { method: 'POST' })).status).toBe(405);
  });

  test('a page that fails shows no cause', async () => {
    const { address } = await start();
    const response = await fetch(`http://${address}/broken`);
    expect([response.status, await response.text()]).toEqual([500, 'internal error\n']);
  });

  test.each([1, 4])(
    'a port that is taken is an error with the address in it, also with %i listeners',
    async (listeners) => {
      const { address } = await startServer({ listener: pagesListener({}), listeners });
      await expect(startServer({ listener: pagesListener({}), listeners, address })).rejects.toThrow(
        `cannot listen on ${address}: another program has this port`,
      );
    },
  );

  test.each(['8080', 'localhost', ':x', ':99999', 'a:b:1'])('%s is no address', async (address) => {
    await expect(start(address)).rejects.toThrow('not of the form host:port or :port');
  });

  test('an IPv6 host stands in brackets', async () => {
    const endpoint = await start('[::1]:0').catch(() => undefined);
    if (endpoint !== undefined) expect(endpoint.address).toMatch(/^\[::1\]:\d+$/);
  });

  test('0 and nothing turn a server off', () => {
    expect(['0', '', ':8080'].map(isOff)).toEqual([true, true, false]);
  });

  test('requests for one page at the same time get the same one', async () => {
    let computed = 0;
    const release = Promise.withResolvers<void>();
    const listener = pagesListener({
      '/metrics': async () => {
        computed++;
        await release.promise;
        return textPage(200, 'metrics\n');
      },
    });
    let requests = 0;
    const { address } = await startServer({
      listener: (request, response) => {
        if (++requests === 3) release.resolve();
        return listener(request, response);
      },
    });
    const url = `http://${address}/metrics`;
    const responses = await Promise.all([fetch(url), fetch(url), fetch(url)]);
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual(
      Array(3).fill('metrics\n'),
    );
    expect(computed).toBe(1);
    await fetch(url);
    expect(computed).toBe(2);
  });
});

describe('limits of a server', () => {
  const echo: RequestListener = ({ rawBody }, response) => void response.end(rawBody);
  /** A connection on which the text was sent, and what comes back until its end. */
  const raw = (address: string, text: string) => {
    const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
    socket.write(text);
    const received = new Promise<string>((resolve) => {
      let all = '';
      socket.on('data', (chunk) => {
        all += chunk;
      });
      socket.on('error', () => undefined);
      socket.on('close', () => resolve(all));
    });
    return { socket, received };
  };
  const post = (address: string, body: string) => fetch(`http://${address}/`, { method: 'POST', body });

  test('a listener gets the whole body', async () => {
    const { address } = await startServer({ listener: echo, maxBodyBytes: 10 });
    expect(await (await post(address, '0123456789')).text()).toBe('0123456789');
  });

  test.each([
    { what: 'announced as too large', text: 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 11\r\n\r\n' },
    {
      what: 'that grows too large',
      text: 'POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nb\r\n01234567890\r\n',
    },
  ])('a body $what is refused before it is complete', async ({ text }) => {
    const { address } = await startServer({ listener: echo, maxBodyBytes: 10 });
    expect(await raw(address, text).received).toMatch(/^HTTP\/1.1 413 /);
  });

  test('headers that do not end in time close the connection', async () => {
    const { address } = await startServer({ listener: echo, headersTimeoutMs: 100 });
    const { received } = raw(address, 'GET / HTTP/1.1\r\nhost: a\r\n');
    expect(await received).toMatch(/^(HTTP\/1.1 408 |$)/);
  });

  test('a body that does not end in time closes the connection', async () => {
    const limits = { headersTimeoutMs: 100, requestTimeoutMs: 100, maxBodyBytes: 10 };
    const { address } = await startServer({ listener: echo, ...limits });
    const { received } = raw(address, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\na');
    expect(await received).toMatch(/^(HTTP\/1.1 408 |$)/);
  });

  test('idle connections give way to requests, and requests in progress do not', async () => {
    const release = Promise.withResolvers<void>();
    const listener: RequestListener = async (_request, response) => {
      await release.promise;
      response.end('done');
    };
    const { address } = await startServer({ listener, maxConnections: 2 });
    const served = fetch(`http://${address}/`);
    const idle = Array.from({ length: 5 }, () => raw(address, ''));
    await Promise.all(idle.slice(0, 4).map(({ received }) => received));
    const another = fetch(`http://${address}/`);
    await idle[4]?.received;
    release.resolve();
    for (const response of await Promise.all([served, another])) expect(await response.text()).toBe('done');
  });

  test('slow bodies give way to others when there is no memory for all', async () => {
    const { address } = await startServer({ listener: echo, maxBodyBytes: 10, maxBodiesBytes: 20 });
    const slow = Array.from({ length: 2 }, () =>
      raw(address, 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\n012345678'),
    );
    // Perhaps the server has not read both before the first one comes.
    while (!slow.some(({ socket }) => socket.destroyed))
      expect((await post(address, '0123456789')).status).toBe(200);
  });

  test('large bodies wait for each other, small ones pass them, and no connection is reset', async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    let [inProgress, most] = [0, 0];
    const { address } = await startServer({
      maxBodyBytes: 1000,
      maxBodiesBytes: 2000,
      listener: async ({ rawBody }, response) => {
        if (rawBody.length > 100) {
          most = Math.max(most, ++inProgress);
          begun.resolve();
          await release.promise;
          inProgress--;
        }
        response.end('done');
      },
    });
    const large = Array.from({ length: 20 }, () => post(address, 'x'.repeat(1000)));
    await begun.promise;
    for (let n = 0; n < 5; n++) expect((await post(address, 'small')).status).toBe(200);
    release.resolve();
    for (const response of await Promise.all(large)) expect(response.status).toBe(200);
    expect(most).toBe(1);
  });

  test('a connection may not send very many requests before it has read the responses', async () => {
    let requests = 0;
    const { address } = await startServer({
      listener: async () => {
        requests++;
        await new Promise(() => undefined);
      },
    });
    const { received } = raw(address, 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(1500));
    await received;
    expect(requests).toBeLessThanOrEqual(8);
  });

  test('requests of one connection one after the other are not limited', async () => {
    const { address } = await startServer({ listener: echo });
    const { socket, received } = raw(address, '');
    for (let n = 0; n < 40; n++) {
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      await new Promise((done) => socket.once('data', done));
    }
    socket.end('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
    expect((await received).split('HTTP/1.1 200').length).toBe(42);
  });

  test('responses that are not read give way, those that wait for the longest time first', async () => {
    const { address } = await startServer({
      listener: (_, response) => void response.end(Buffer.alloc(12 * 1024 * 1024)),
    });
    const sockets = await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => {
        await new Promise((done) => setTimeout(done, n * 50));
        const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
        socket.on('error', () => undefined).pause();
        socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
        return socket;
      }),
    );
    await new Promise((done) => setTimeout(done, 1500));
    const lengths = await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<number>((resolve) => {
            let length = 0;
            const end = () => resolve(length);
            socket.on('data', (chunk) => {
              length += chunk.length;
              if (length > 12 * 1024 * 1024) end();
            });
            socket.on('close', end);
            socket.resume();
          }),
      ),
    );
    for (const socket of sockets) socket.destroy();
    const whole = lengths.map((length) => length > 12 * 1024 * 1024);
    expect(whole).toEqual([false, false, false, true, true]);
  });

  test('clients that do not read their responses do not keep others from a connection', async () => {
    const { address } = await startServer({
      maxConnections: 4,
      listener: (_, response) => void response.end(Buffer.alloc(7 * 1024 * 1024)),
    });
    const sockets = [1, 2, 3, 4].map(() => {
      const socket = connect(Number(address.split(':')[1]), '127.0.0.1');
      socket.on('error', () => undefined).pause();
      socket.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n');
      return socket;
    });
    await new Promise((done) => setTimeout(done, 1300));
    const response = await fetch(`http://${address}/`);
    expect((await response.arrayBuffer()).byteLength).toBe(7 * 1024 * 1024);
    for (const socket of sockets) socket.destroy();
  });

  test('a body in chunks that has arrived takes what it has', async () => {
    const release = Promise.withResolvers<void>();
    let served = 0;
    const { address } = await startServer({
      ...{ maxBodyBytes: 1000, maxBodiesBytes: 1500 },
      listener: async ({ rawBody }, response) => {
        served++;
        if (served === 2) release.resolve();
        await release.promise;
        response.end(rawBody);
      },
    });
    const chunked =
      'POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n';
    const [first, second] = [raw(address, chunked), raw(address, chunked)];
    for (const { received } of [first, second]) expect(await received).toContain('HTTP/1.1 200');
  });

  test('a body in chunks, whose length is not known, waits as the largest one does', async () => {
    const { address } = await startServer({ listener: echo, maxBodyBytes: 10, maxBodiesBytes: 20 });
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('0123'));
        controller.close();
      },
    });
    const response = await fetch(`http://${address}/`, {
      method: 'POST',
      body,
      duplex: 'half',
    } as RequestInit);
    expect(response.status).toBe(200);
  });

  test('a listener that fails answers 500 without the cause', async () => {
    const { address } = await startServer({
      listener: () => Promise.reject(new Error('credential in here')),
    });
    const response = await fetch(`http://${address}/`);
    expect([response.status, await response.text()]).toEqual([500, '']);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux.each([
    { listeners: 1, most: 1 },
    { listeners: 4, most: 4 },
  ])(
    '$listeners listeners accept up to $most connections in a turn of the event loop',
    async ({ listeners, most }) => {
      const served: number[] = [];
      let turn = 0;
      const server = await startServer({
        listeners,
        listener: ({ socket }, response) => {
          served.push(acceptedIn.get(socket.remotePort ?? 0) ?? 0);
          response.end('done');
        },
      });
      const acceptedIn = new Map<number, number>();
      const onAccepted = (message: unknown) => {
        const { socket } = message as { readonly socket: Socket };
        acceptedIn.set(socket.remotePort ?? 0, turn);
      };
      subscribe('net.server.socket', onAccepted);
      let isOver = false;
      const nextTurn = () => {
        turn++;
        if (!isOver) setImmediate(nextTurn);
      };
      nextTurn();
      const answers = Array.from({ length: 64 }, () =>
        raw(server.address, 'GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'),
      );
      for (const { received } of answers) expect(await received).toMatch(/done$/);
      isOver = true;
      unsubscribe('net.server.socket', onAccepted);
      const inTurns = [...Map.groupBy(served, (each) => each).values()].map(({ length }) => length);
      expect(Math.max(...inTurns)).toBe(most);
    },
  );

  test.each([1, 4])('a stop lets requests in progress end, with %i listeners', async (listeners) => {
    const [begun, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const server = await startServer({
      listeners,
      // No time passes: nothing is cut, and a connection ends because its request has.
      clock: createFakeClock(),
      listener: async (_request, response) => {
        begun.resolve();
        await release.promise;
        response.end('done');
      },
    });
    const idle = raw(server.address, '');
    const served = fetch(`http://${server.address}/`);
    await begun.promise;
    const closed = server.close();
    await idle.received;
    release.resolve();
    expect(await (await served).text()).toBe('done');
    await closed;
  });

  test('a stop ends a request that hangs when it is aborted', async () => {
    const begun = Promise.withResolvers<void>();
    const server = await startServer({ listener: () => begun.resolve() });
    const served = fetch(`http://${server.address}/`);
    served.catch(() => undefined);
    await begun.promise;
    const abort = new AbortController();
    const closed = server.close(abort.signal);
    abort.abort();
    await closed;
    await expect(served).rejects.toThrow();
  });
});

describe('health page', () => {
  test('every check is shown, and one that fails decides', async () => {
    const checks = new Map<string, HealthCheck>([
      ['ping', () => undefined],
      ['cache', () => Promise.reject(new Error('not synced'))],
    ]);
    expect(await healthPage('readyz', checks)).toMatchObject({
      status: 500,
      body: '[+]ping ok\n[-]cache failed: not synced\nreadyz check failed\n',
    });
    checks.delete('cache');
    expect(await healthPage('readyz', checks)).toMatchObject({ status: 200 });
  });
});
