/**
 * Connections: whatever a server does to one request, answer n belongs to request n, and nothing is reused after an abort.
 * A pool is a row: how it sends a number, of which the answer is the same number.
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { openConnections } from '../../internal/framework/http/transport/connections.ts';
import { sendRequest } from '../../internal/framework/http/transport/send-request.ts';
import {
  type Script,
  type ScriptedServer,
  startScriptedServer,
} from '../../internal/framework/kube/fakes/scripted-server.ts';
import { createTransport } from '../../internal/framework/kube/transport/transport.ts';
import {
  type SampleJob,
  url as workerUrl,
} from '../../internal/framework/process/workers/worker-pool.fixture.ts';
import { createWorkerPool } from '../../internal/framework/process/workers/worker-pool.ts';
import { createSourceHttp } from '../../internal/systems/reconciler/components/charts/sources/source-http.ts';
import { createServerPool } from '../../internal/systems/reconciler/mothership/database/postgres.ts';
import { type QueryScript, startScriptedPostgres } from './scripted-postgres.ts';

type Fault = 'hangs' | 'truncates' | 'answers late' | 'closes';

interface PoolUnderTest {
  /** Rejects where there is no complete answer. */
  send(n: number, signal: AbortSignal): Promise<string>;
  /** What happens to requests of large numbers. */
  fail(fault: Fault): void;
  close(): Promise<void>;
}

/** The answer to `/n` is `n`, in two chunks. */
const echo: Script = ({ url }, response) => {
  const body = url.slice(1);
  response.writeHead(200, { 'content-length': body.length }).write(body.slice(0, 1));
  response.end(body.slice(1));
};

const SCRIPTS: Readonly<Record<Fault, Script>> = {
  hangs: () => undefined,
  truncates: (_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('9');
    setTimeout(() => response.destroy(), 5);
  },
  'answers late': (request, response) => {
    setTimeout(() => echo(request, response), 150);
  },
  closes: (_request, response) => response.destroy(),
};

/** A statement without an answer fails after this time. */
const LONGEST_QUERY_MS = 1500;
const QUERY_SCRIPTS: Readonly<Record<Fault, QueryScript>> = {
  hangs: () => undefined,
  truncates: (answer, socket) => {
    socket.write(answer.subarray(0, answer.length / 2));
    setTimeout(() => socket.destroy(), 5);
  },
  'answers late': (answer, socket) => {
    setTimeout(() => socket.write(answer), 1.5 * LONGEST_QUERY_MS);
  },
  closes: (_answer, socket) => void socket.destroy(),
};

/** Requests from here on meet the fault. */
const BROKEN = 9000;

async function startServer(): Promise<{ readonly server: ScriptedServer; fail(fault: Fault): void }> {
  let script = echo;
  const server = await startScriptedServer((request, response) =>
    (Number(request.url.slice(1)) < BROKEN ? echo : script)(request, response),
  );
  return {
    server,
    fail: (fault) => {
      script = SCRIPTS[fault];
    },
  };
}

const onServer = (
  { server, fail }: Awaited<ReturnType<typeof startServer>>,
  pool: Pick<PoolUnderTest, 'send' | 'close'>,
): PoolUnderTest => ({
  send: pool.send,
  fail,
  close: async () => {
    await pool.close();
    await server.close();
  },
});

const POOLS: readonly (readonly [string, () => Promise<PoolUnderTest>])[] = [
  [
    'HTTP',
    async () => {
      const started = await startServer();
      const connections = openConnections({
        ...{ allowPrivateEndpoints: true, trustedCertificates: [], env: {}, perOrigin: 2 },
        ...{ connectTimeoutMs: 5000, keepAliveMs: 60_000 },
      });
      return onServer(started, {
        send: async (n, signal) => {
          const url = new URL(`/${n}`, started.server.url);
          const request = { method: 'GET', url, headers: {} } as const;
          const result = await sendRequest(connections.dispatcherFor(url), request, 1000, signal);
          if ('response' in result) return result.response.body;
          throw result.noResponse.error;
        },
        close: () => connections.close(),
      });
    },
  ],
  [
    'API server',
    async () => {
      const started = await startServer();
      const config = { server: started.server.url, credentials: async () => ({ headers: {} }) };
      const transport = createTransport({ config, connections: 2, env: {} });
      return onServer(started, {
        send: async (n, signal) =>
          (await transport.call({ method: 'GET', path: `/${n}`, headers: {}, signal }, 1000)).body,
        close: () => transport.close(),
      });
    },
  ],
  [
    'sources of charts',
    async () => {
      const started = await startServer();
      const connections = openConnections({
        ...{ allowPrivateEndpoints: true, trustedCertificates: [], env: {}, perOrigin: 2 },
        ...{ connectTimeoutMs: 5000, keepAliveMs: 60_000 },
      });
      const deps = { clock: systemClock, random: Math.random };
      const http = createSourceHttp({ ...deps, connections, allowPrivateEndpoints: true });
      return onServer(started, {
        send: async (n, signal) => {
          const url = new URL(`/${n}`, started.server.url);
          const { body } = await http.send({ url, maxBytes: 1000, tenant: '' }, signal);
          const chunks: Uint8Array[] = [];
          for await (const chunk of body) chunks.push(chunk);
          return Buffer.concat(chunks).toString();
        },
        close: () => connections.close(),
      });
    },
  ],
  [
    'Postgres',
    async () => {
      let script: QueryScript = (answer, socket) => void socket.write(answer);
      const server = await startScriptedPostgres((selected) =>
        selected < BROKEN ? (answer, socket) => void socket.write(answer) : script,
      );
      const host = { host: '127.0.0.1', port: server.port, user: 'a', database: 'a', password: '' };
      const pool = createServerPool({
        ...{ clock: systemClock, onError: () => undefined },
        servers: [{ ...host, max: 3, query_timeout: LONGEST_QUERY_MS }],
      });
      return {
        // A statement is not aborted: it has a time limit.
        send: async (n) => {
          const client = await pool.connect();
          try {
            const { rows } = await client.query<{ n: string }>(`select ${n}`, []);
            return rows[0]?.n ?? 'no row';
          } finally {
            client.release();
          }
        },
        fail: (fault) => {
          script = QUERY_SCRIPTS[fault];
        },
        close: async () => {
          await pool.end();
          await server.close();
        },
      };
    },
  ],
  [
    'worker threads',
    async () => {
      const pool = createWorkerPool<SampleJob, unknown>({
        ...{ clock: systemClock, name: 'samples', entry: async () => workerUrl, size: 2, deadlineMs: 500 },
      });
      let broken: SampleJob = { do: 'exit' };
      return {
        send: async (n, signal) => {
          const job: SampleJob = n < BROKEN ? { do: 'echo', value: `${n}` } : broken;
          return String(await pool.run(job, { group: 'a', signal }));
        },
        fail: (fault) => {
          broken = { do: fault === 'hangs' || fault === 'answers late' ? 'loop' : 'exit' };
        },
        close: () => pool.close(),
      };
    },
  ],
];

let pool: PoolUnderTest | undefined;
afterEach(() => pool?.close());

describe.each(POOLS)('%s', (_name, open) => {
  test.each<Fault>(['hangs', 'truncates', 'answers late', 'closes'])('a server that %s', async (fault) => {
    pool = await open();
    const { send, fail } = pool;
    const never = new AbortController().signal;
    expect(await send(10, never)).toBe('10');
    for (let round = 1; round <= 2; round++) {
      fail(fault);
      const broken = send(BROKEN + round, AbortSignal.timeout(50));
      const during = [11, 12, 13, 14].map((n) => send(n * round, never));
      await expect(broken).rejects.toBeDefined();
      const after = [21, 22, 23, 24].map((n) => send(n * round, never));
      const expected = [11, 12, 13, 14, 21, 22, 23, 24].map((n) => `${n * round}`);
      expect(await Promise.all([...during, ...after])).toEqual(expected);
    }
  });
});
