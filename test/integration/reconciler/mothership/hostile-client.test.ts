/**
 * A client that does its worst beside two honest ones, at the REST API of a whole mothership: registrations, statuses, lists, callbacks,
 * slow and large bodies, streams. Its actions are chosen at random from all kinds. Clusters of the honest ones become ready while the
 * hostile one goes on, and the memory of the process stays bounded. `make test-faults` has more runs, and compares the time as well.
 */
import '../../harness/timeout.ts';
import { randomUUID } from 'node:crypto';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { campaign } from '../../../campaign/campaign.ts';
import { eventually } from '../../../environment/eventually.ts';
import {
  type ComponentReconciler,
  startComponentReconciler,
} from '../../../environment/mothership/component-reconciler.ts';
import {
  type MothershipProgram,
  startMothershipProgram,
} from '../../../environment/mothership/mothership-program.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';
import { startTestDatabases, type TestDatabases } from '../../../environment/postgres/test-databases.ts';
import { controlPlanes } from '../../harness/control-planes/control-planes.ts';

const { seed, runs, long } = campaign({ seed: 1, runs: 1 });
const MIB = 1024 * 1024;
/** Beyond what the process has before: all bodies, lists and pages together. The test, its clients and the database are in it too. */
const MAX_GROWTH = 512 * MIB;

let databases: TestDatabases;
let reconciler: ComponentReconciler;
let mothership: MothershipProgram;
let kubeconfig: string;
/** Accepts connections, and says nothing. */
let silent: Awaited<ReturnType<typeof startSilentServer>>;

async function startSilentServer() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `https://127.0.0.1:${port}`,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

beforeAll(async () => {
  databases = await startTestDatabases();
  kubeconfig = (await controlPlanes()).kyma.kubeconfig;
  silent = await startSilentServer();
  reconciler = await startComponentReconciler(({ metadata }) =>
    // Of the hostile tenant some fail, and some take long.
    metadata.globalAccountID === 'hostile'
      ? { callbacks: [{ status: 'error', error: 'x'.repeat(50_000) }] }
      : {},
  );
  mothership = await startMothershipProgram({
    reconciler: reconciler.url,
    databaseUrl: await databases.server?.createDatabase(),
  });
});
afterAll(async () => {
  await mothership?.stop();
  await reconciler?.close();
  silent?.close();
  await databases?.close();
});

/** The run has ended: the hostile client goes. */
let ending = new AbortController();
let numbers = 0;
const nextId = (account: string) => `${account}-${numbers++}`;

function documentOf(account: string, id: string, components: readonly string[] = ['istio', 'eventing']) {
  const { metadata } = clusterDocument(id);
  return clusterDocument(id, components, { kubeconfig, metadata: { ...metadata, globalAccountID: account } });
}

/** Of the hostile client: whatever the answer is, it must be one. */
async function send(method: string, path: string, body?: string): Promise<string> {
  const response = await fetch(`${mothership.url}${path}`, {
    method,
    signal: ending.signal,
    ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
  }).catch((error: unknown) => error);
  return response instanceof Response ? await response.text() : String(response);
}
const register = (document: unknown) => send('POST', '/v1/clusters', JSON.stringify(document));
const times = (count: number, act: (n: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, n) => act(n)));

const names = (count: number, length: number) =>
  Array.from({ length: count }, (_, n) => `c${n}${'x'.repeat(length)}`);
/** A component with a configuration of so many keys. */
const configured = (keys: number, key: (n: number) => string, value: unknown) => ({
  ...{ component: 'istio', namespace: 'kyma-system', URL: '', version: '' },
  configuration: Array.from({ length: keys }, (_, n) => ({ key: key(n), value, secret: true })),
});
function withComponents(components: readonly unknown[]): unknown {
  const { kymaConfig, ...rest } = documentOf('hostile', nextId('hostile'));
  return { ...rest, kymaConfig: { ...kymaConfig, components } };
}

/** An own connection with a request that is not complete; closed after a while. */
async function raw(text: string, forMs = 5000): Promise<void> {
  const { hostname, port } = new URL(mothership.url);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  socket.write(text);
  const timer = setInterval(() => socket.write('a'), 200);
  await new Promise((done) => {
    socket.on('close', done);
    setTimeout(done, forMs);
    ending.signal.addEventListener('abort', done, { once: true });
  });
  clearInterval(timer);
  socket.destroy();
}

const ACTIONS: Readonly<Record<string, () => Promise<unknown>>> = {
  'many clusters with many components': () =>
    times(20, () => register(documentOf('hostile', nextId('hostile'), names(200, 5)))),
  'clusters with long names': () =>
    times(20, (n) =>
      register({
        ...documentOf('hostile', nextId('hostile')),
        runtimeInput: { name: 'n'.repeat(256), description: `${n}` },
      }),
    ),
  'components with long names': () => register(documentOf('hostile', nextId('hostile'), names(200, 240))),
  'keys of many segments': () =>
    times(5, () => register(withComponents([configured(600, (n) => `k${n}${'.a'.repeat(60)}`, 'x')]))),
  'keys of too many segments': () =>
    times(5, () => register(withComponents([configured(1, () => `a${'.a'.repeat(45_000)}`, 'x')]))),
  'values that are nested deeply': () =>
    send('POST', '/v1/clusters', `{"kymaConfig":${'['.repeat(49_000)}${']'.repeat(49_000)}}`),
  'very many values': () => send('POST', '/v1/clusters', `{"kymaConfig":[${'[],'.repeat(33_000)}0]}`),
  'YAML in values': () =>
    register(withComponents([configured(1, () => 'a', `a:\n${'- {a: 1, b: [c]}\n'.repeat(4000)}`)])),
  'a body of 10 MB': () => times(3, () => send('POST', '/v1/clusters', `"${'x'.repeat(10 * MIB)}"`)),
  'bodies that do not end': () =>
    times(40, () => raw('POST /v1/clusters HTTP/1.1\r\nhost: m\r\ncontent-length: 99000\r\n\r\n{')),
  'headers that do not end': () => times(40, () => raw('GET /v1/clusters HTTP/1.1\r\nhost: ')),
  'kubeconfigs of a silent server': () =>
    times(300, () =>
      register({
        ...documentOf('hostile', nextId('hostile')),
        kubeconfig: JSON.stringify({
          'current-context': 'c',
          contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
          clusters: [{ name: 'c', cluster: { server: silent.url } }],
          users: [{ name: 'u', user: { token: 't' } }],
        }),
      }),
    ),
  'kubeconfigs with many tokens': () =>
    times(10, () =>
      register({ ...documentOf('hostile', nextId('hostile')), kubeconfig: '- {a: [b, c]}\n'.repeat(6000) }),
    ),
  'kubeconfigs with aliases': () =>
    times(10, () =>
      register({
        ...documentOf('hostile', nextId('hostile')),
        kubeconfig: `a0: &a0 [x]\n${Array.from({ length: 40 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`).join('\n')}\n`,
      }),
    ),
  'statuses of a cluster again and again': async () => {
    const id = nextId('hostile');
    await register(documentOf('hostile', id));
    await times(40, (n) =>
      send(
        'PUT',
        `/v1/clusters/${id}/status`,
        JSON.stringify({ status: n % 2 ? 'reconcile_disabled' : 'reconcile_pending' }),
      ),
    );
    await times(10, () => send('GET', `/v1/clusters/${id}/statusChanges?offset=100h`));
  },
  'changes of a cluster again and again': async () => {
    const id = nextId('hostile');
    await times(20, (n) => register(documentOf('hostile', id, names(50 + n, 10))));
    await send('GET', `/v1/clusters/${id}/details`);
  },
  'registrations and deletions': () =>
    times(10, async () => {
      const id = nextId('hostile');
      await register(documentOf('hostile', id));
      await send('DELETE', `/v1/clusters/${id}`);
    }),
  'lists of all clusters': () => times(20, () => send('GET', '/v1/clusters?limit=1000')),
  searches: () =>
    times(20, (n) => send('GET', `/v1/clusters?limit=1000&search=${'x'.repeat(n * 100)}%25_%25`)),
  'lists of runs': () => times(20, () => send('GET', '/v1/reconciliations?last=1000')),
  'callbacks with a token that is none': () =>
    times(40, () =>
      send(
        'POST',
        `/v1/operations/${randomUUID()}/callback/${randomUUID()}?token=${'x'.repeat(2000)}`,
        JSON.stringify({ status: 'error', error: 'x'.repeat(90_000), retryID: 'r', processingDuration: 1 }),
      ),
    ),
  'callbacks of an own operation': async () => {
    const [received] = reconciler.received
      .filter(({ task }) => task.metadata.globalAccountID === 'hostile')
      .slice(-1);
    if (received === undefined) return;
    const progress = { text: 'x'.repeat(15_000) };
    await times(40, (n) =>
      reconciler.report(received.task, n % 2 ? 'running' : 'failed', { error: 'x'.repeat(60_000), progress }),
    );
  },
  'pools of workers': () =>
    times(50, () =>
      send(
        'POST',
        `/v1/occupancy/${randomUUID()}`,
        JSON.stringify({ component: randomUUID(), runningWorkers: 1, poolSize: 2 }),
      ),
    ),
  'streams of events': () => times(60, () => raw('GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')),
  metrics: () => times(20, () => send('GET', '/metrics')),
};

/** Two clusters of two honest clients, one after the other. Returns the time of the longest, in ms. */
async function honestClusters(): Promise<number> {
  const all = await Promise.all(
    ['honest-a', 'honest-b'].map(async (account) => {
      let longest = 0;
      for (let n = 0; n < 2; n++) {
        const id = nextId(account);
        const began = performance.now();
        const { status } = await mothership.call('POST', '/v1/clusters', { body: documentOf(account, id) });
        expect(status).toBe(200);
        await eventually(
          async () => {
            const { body } = await mothership.call('GET', `/v1/clusters/${id}/status`);
            expect(body).toMatchObject({ status: 'ready' });
          },
          { intervalMs: 100 },
        );
        longest = Math.max(longest, performance.now() - began);
      }
      return longest;
    }),
  );
  return Math.max(...all);
}

let aloneMs = 0;
let before = 0;
test('honest clients alone', async () => {
  for (let n = 0; n < (long ? 3 : 1); n++) aloneMs = Math.max(aloneMs, await honestClusters());
  before = process.memoryUsage.rss();
});

const actions = fc.array(fc.constantFrom(...Object.keys(ACTIONS)), { minLength: 4, maxLength: 15 });

test.each(fc.sample(actions, { seed, numRuns: runs }).map((chosen, run) => ({ run, chosen })))(
  'honest clients beside a hostile one, run $run',
  async ({ chosen }) => {
    let peak = 0;
    const watching = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage.rss());
    }, 50);
    const hostile = Promise.all(chosen.map((kind) => ACTIONS[kind]?.()));
    const ms = await honestClusters();
    clearInterval(watching);
    expect(peak - before).toBeLessThan(MAX_GROWTH);
    // Other programs run beside `make test`.
    if (long) expect(ms).toBeLessThan(2 * aloneMs + 2000);
    ending.abort(new Error('the run has ended'));
    await hostile.catch(() => undefined);
    ending = new AbortController();
  },
  300_000,
);
