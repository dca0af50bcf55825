/** Servers that tenants name, and and how they treat a client; every system has the same. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { startTlsServer, type TlsHandler, type TlsServer } from '../tls-server.ts';

const MIB = 1024 * 1024;

const begin = (answer: ServerResponse) => answer.writeHead(200, { 'content-type': 'application/json' });
const json = (status: number, body: unknown) => (_: IncomingMessage, answer: ServerResponse) =>
  void answer.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Writes until the client disconnects: some MiB a second, since the attacker shares this machine. */
function endless(answer: ServerResponse, next: () => string, pauseMs = 30): void {
  const timer = setInterval(() => answer.writableNeedDrain || answer.write(next()), pauseMs);
  answer.on('close', () => clearInterval(timer));
}

/** Sends a part at once, then a byte a second. */
const dripping = (first: string) => (_: IncomingMessage, answer: ServerResponse) => {
  begin(answer).write(first);
  endless(answer, () => ' ', 1000);
};

/** Whatever is asked for exists, changes all the time, and has texts of the limit. */
const lying: TlsHandler = ({ url = '' }, answer) => {
  const name = url.split('?')[0]?.split('/').at(-1);
  const object = (resourceVersion: number) => ({
    ...{ kind: 'X', apiVersion: 'v1', id: name, status: { instanceID: name, conditions: [] } },
    metadata: { name, namespace: name, uid: name, resourceVersion: `${resourceVersion}` },
    data: { CLUSTER_ID: Buffer.from('x'.repeat(50_000)).toString('base64') },
  });
  if (!url.includes('watch=true')) return json(200, object(1))({} as IncomingMessage, answer);
  let version = 1;
  begin(answer);
  endless(answer, () => `${JSON.stringify({ type: 'MODIFIED', object: object(++version) })}\n`.repeat(3), 10);
};

/** Versions that go back, objects that go before they come, and bookmarks that are no versions. */
const backwards: TlsHandler = ({ url = '' }, answer) => {
  if (!url.includes('watch=true')) return lying({ url } as IncomingMessage, answer);
  let version = 1_000_000;
  begin(answer);
  const types = ['DELETED', 'MODIFIED', 'BOOKMARK', 'ADDED', 'ADDED', 'ERROR'];
  endless(
    answer,
    () => {
      const type = types[version % types.length];
      const resourceVersion = type === 'BOOKMARK' ? 'the end' : `${--version}`;
      const metadata = { name: `n${version % 7}`, namespace: 'shop', uid: `${version}`, resourceVersion };
      return `${JSON.stringify({ type, object: { kind: 'Status', code: 410, metadata } })}\n`;
    },
    20,
  );
};

let statuses = 0;

/** By what they do. */
export const behaviours: Readonly<Record<string, TlsHandler>> = {
  'never answers': () => undefined,
  'never ends its headers': (_, answer) => void answer.socket?.write('HTTP/1.1 200 OK\r\nx: '),
  'sends a byte a second': dripping('{'),
  'sends most of a limit, then a byte a second': dripping(`{"x":"${'x'.repeat(MIB - 4096)}`),
  'sends most of a line, then a byte a second': dripping(`{"x":"${'x'.repeat(MIB / 2 - 4096)}`),
  'sends many values, then a byte a second': dripping(`{"x":[${'{},'.repeat(19_000)}`),
  'sends without an end': (_, answer) => {
    begin(answer);
    endless(answer, () => ' '.repeat(64 * 1024));
  },
  'has as many values as may be': json(200, { items: Array(19_900).fill({}), failures: [] }),
  'has values of a list': json(200, {
    items: Array.from({ length: 9000 }, (_, n) => ({ id: `${n}`, name: `n${n}`, catalog_name: `c${n}` })),
    token: 'again',
    mappings: Array.from({ length: 5000 }, (_, n) => ({
      platform: 'kubernetes',
      primaryID: `c${n}`,
      isDefault: true,
    })),
  }),
  'has texts of a megabyte': json(200, {
    status: 'x'.repeat(900_000),
    failures: [],
    access_token: 't'.repeat(15_000),
  }),
  'has a page': (_, answer) => void answer.writeHead(200).end('<h1>It works</h1>'),
  'is nested': (_, answer) => void answer.writeHead(200).end('{"a":'.repeat(150_000)),
  'redirects to itself': ({ url }, answer) => void answer.writeHead(302, { location: url }).end(),
  'has each status': (_, answer) =>
    json(300 + (statuses++ % 300), {
      kind: 'Status',
      message: 'x'.repeat(50_000),
      error: 'x'.repeat(50_000),
    })({} as IncomingMessage, answer),
  'says to come back tomorrow': (_, answer) =>
    void answer.writeHead(429, { 'retry-after': '86400', 'content-type': 'application/json' }).end('{}'),
  'closes in the middle': (_, answer) => {
    begin(answer).write('{"items":[');
    setTimeout(() => answer.destroy(), 50);
  },
  'says that everything exists': lying,
  'runs backwards': backwards,
  'has members of prototypes': (_, answer) =>
    void begin(answer).end(
      '{"__proto__":{"items":[{}],"token":"x"},"constructor":{"prototype":{"status":"ready"}},"toString":1,"metadata":{"__proto__":{"name":"x"}}}',
    ),
  'is of another time': ({ url = '' }, answer) => {
    answer.setHeader('date', 'Fri, 31 Dec 9999 23:59:59 GMT');
    answer.setHeader('retry-after', 'Fri, 31 Dec 9999 23:59:59 GMT');
    json(url.includes('token') ? 200 : 503, { access_token: 't', token_type: 'bearer', expires_in: 1e300 })(
      {} as IncomingMessage,
      answer,
    );
  },
  'asks who is there': (_, answer) =>
    void answer
      .writeHead(401, { 'www-authenticate': `Bearer realm="${'x'.repeat(8000)}"`, connection: 'close' })
      .end('{}'),
  'has thousands of headers': (_, answer) => {
    for (let n = 0; n < 900; n++) answer.setHeader(`x-${n}`, 'y');
    answer.end('{}');
  },
};

export interface HostileHost extends Pick<TlsServer, 'url' | 'authority' | 'kubeconfig'> {
  readonly does: string;
  /** Whether it was called. */
  readonly isCalled: () => boolean;
}

export interface HostileHosts {
  readonly all: readonly HostileHost[];
  /** Grants tokens at once: what is called with them is the hostile one. */
  readonly grants: TlsServer;
  /** Another address each time, which accepts connections and says nothing. */
  nextSilent(): string;
  close(): Promise<void>;
}

export async function startHostileHosts(): Promise<HostileHosts> {
  const grants = await startTlsServer(
    json(200, { access_token: 't', token_type: 'bearer', expires_in: 3600 }),
  );
  const servers: TlsServer[] = [grants];
  const all: HostileHost[] = [];
  for (const [does, listener] of Object.entries(behaviours)) {
    let called = false;
    const server = await startTlsServer((request, answer) => {
      called = true;
      listener(request, answer);
    });
    servers.push(server);
    all.push({ ...server, does, isCalled: () => called });
  }
  const silent = await startSilentServer();
  return {
    all,
    grants,
    nextSilent: silent.nextAddress,
    close: async () => {
      silent.close();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** At all addresses of loopback: each of them is a host of its own. */
async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  const { port } = server.address() as AddressInfo;
  let count = 0;
  return {
    nextAddress: () => {
      const number = 1 + (count++ % 60_000);
      return `127.1.${number >> 8}.${number & 255}:${port}`;
    },
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** With a token, for a server that is not verified before it is too late. */
export const kubeconfigOf = (server: string): string =>
  JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'c' },
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
  });
