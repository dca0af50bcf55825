import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import type { ComponentReconciler } from '../../../environment/mothership/component-reconciler.ts';
import { clusterDocument } from '../../../environment/mothership/test-mothership.ts';

const MIB = 1024 * 1024;

export interface MothershipAttacks {
  /** The document of a client's cluster, whose component reconciler is that of the test. */
  documentOf(account: string, id: string, components?: readonly string[]): ReturnType<typeof clusterDocument>;
  nextId(account: string): string;
  /** By kind. Whatever the answer to each request is, it must be one. */
  readonly attacks: Readonly<Record<string, () => Promise<unknown>>>;
}

export interface MothershipAttacksOptions {
  /** Of the mothership: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** Of honest clusters. */
  readonly kubeconfig: string;
  readonly reconciler: Pick<ComponentReconciler, 'received' | 'report'>;
  /** A server that accepts connections, and says nothing. */
  readonly silentUrl: () => string;
  /** Aborts when the run ends. */
  readonly signal: () => AbortSignal;
}

/** What a client of the REST API does that does its worst: the global account `hostile`. */
export function mothershipAttacks({
  url,
  kubeconfig,
  reconciler,
  silentUrl,
  signal,
}: MothershipAttacksOptions): MothershipAttacks {
  let numbers = 0;
  const nextId = (account: string) => `${account}-${numbers++}`;
  /** Whatever the answer is, it must be one. */
  async function send(method: string, path: string, body?: string): Promise<string> {
    const response = await fetch(`${url}${path}`, {
      ...{ method, signal: signal() },
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/json' } }),
    }).catch((error: unknown) => error);
    return response instanceof Response ? await response.text() : String(response);
  }
  function documentOf(account: string, id: string, components: readonly string[] = ['istio', 'eventing']) {
    const { metadata } = clusterDocument(id);
    return clusterDocument(id, components, {
      kubeconfig,
      metadata: { ...metadata, globalAccountID: account },
    });
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
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    socket.write(text);
    const timer = setInterval(() => socket.write('a'), 200);
    await new Promise((done) => {
      socket.on('close', done);
      setTimeout(done, forMs);
      signal().addEventListener('abort', done, { once: true });
    });
    clearInterval(timer);
    socket.destroy();
  }

  const attacks: MothershipAttacks['attacks'] = {
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
            clusters: [{ name: 'c', cluster: { server: silentUrl() } }],
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
        reconciler.report(received.task, n % 2 ? 'running' : 'failed', {
          error: 'x'.repeat(60_000),
          progress,
        }),
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

  return { documentOf, nextId, attacks };
}
