/** Each client of an external API for the table of answers: how it sends, and what it concludes. */
import { createConcurrencyLimiter } from '../../internal/framework/base/concurrency/concurrency-limiter.ts';
import { noFence } from '../../internal/framework/base/concurrency/fence.ts';
import { createDeps, type Deps } from '../../internal/framework/base/deps.ts';
import { findCause, kindOf } from '../../internal/framework/base/errors/errors.ts';
import { nopLogger } from '../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { createApiSessions, LostResponseError } from '../../internal/framework/http/index.ts';
import { openConnections } from '../../internal/framework/http/transport/connections.ts';
import { createKubeClient } from '../../internal/framework/kube/client/rest-client.ts';
import {
  isAlreadyExists,
  isConflict,
  isNotFound,
  isPatchRefused,
  secrets,
} from '../../internal/framework/kube/index.ts';
import type { ReconcileContext } from '../../internal/framework/managed/index.ts';
import { restCalls } from '../../internal/framework/rest/rest-calls.ts';
import {
  createServiceManager,
  ServiceManagerError,
} from '../../internal/systems/btp/service-manager/index.ts';
import { ask, gardenerRefusal } from '../../internal/systems/infrastructure-manager/gardener/gardener.ts';
import { createHanaCloud } from '../../internal/systems/inventory/hana-cloud/client.ts';
import { createMothershipClient } from '../../internal/systems/reconciler/client/mothership-client.ts';
import { createMothershipTokens } from '../../internal/systems/reconciler/client/oauth-tokens.ts';
import { createSourceHttp } from '../../internal/systems/reconciler/components/charts/sources/source-http.ts';
import { createHttpCallbacks } from '../../internal/systems/reconciler/components/reports/http-callbacks.ts';
import { createHttpInvoker } from '../../internal/systems/reconciler/mothership/dispatch/http-invoker.ts';
import type { Task } from '../../internal/systems/reconciler/mothership/model/mothership.ts';

/** What a caller does next. */
export type Meaning =
  | 'done'
  /** It does not exist. */
  | 'gone'
  /** It exists, or was changed meanwhile. */
  | 'taken'
  /** Not before its author changes something. */
  | 'refused'
  /** As `again`; the message is about credentials. */
  | 'credentials'
  /** It looks first: the request may have had its effect. */
  | 'unknown'
  | 'again';

export interface Call {
  readonly name: string;
  /** It must not take effect twice. */
  readonly unrepeatable?: true;
  send(signal: AbortSignal): Promise<Meaning>;
}

type Statuses = Readonly<Record<number, readonly Meaning[]>>;

export interface AnsweringClient {
  readonly name: string;
  /** The files that open its connections. */
  readonly files: readonly string[];
  open(url: string, deps: Deps): Promise<{ readonly calls: readonly Call[]; close(): Promise<void> }>;
  /** Answers of the API itself. */
  readonly own: readonly (readonly [call: string, status: number, body: object, meaning: Meaning])[];
  /** What it may conclude from answers of gateways besides, by their form or `any`, with the reason in a comment. */
  readonly tolerates?: Readonly<Record<string, Statuses>>;
}

const FASTER = 200;
const fence = noFence;

export const PATIENT = createDeps({ random: () => 0.5 });
/** Time-outs of minutes are over in a second: not all of them are options. */
export const IMPATIENT = createDeps({
  random: () => 0.5,
  clock: {
    ...systemClock,
    monotonic: () => systemClock.monotonic() * FASTER,
    after: (ms, fn) => systemClock.after(ms / FASTER, fn),
  },
});

const ofKind = (error: unknown): Meaning => {
  if (findCause(error, LostResponseError) !== undefined) return 'unknown';
  switch (kindOf(error)) {
    case 'not-found':
      return 'gone';
    case 'conflict':
      return 'taken';
    case 'terminal':
      return 'refused';
    case 'auth':
      return 'credentials';
    case 'transient':
    case 'throttled':
      return 'again';
    default:
      throw error;
  }
};

const ofKube = (error: unknown): Meaning => {
  if (isNotFound(error)) return 'gone';
  if (isConflict(error) || isAlreadyExists(error)) return 'taken';
  return isPatchRefused(error) ? 'refused' : ofKind(error);
};

const ofGardener = (error: unknown): Meaning => {
  const refusal = gardenerRefusal(error);
  if (refusal === 'transient') return 'again';
  if (refusal === 'conflict') return 'taken';
  if (refusal === 'forbidden') return 'credentials';
  return isNotFound(error) ? 'gone' : 'refused';
};

const ofServiceManager = (error: unknown): Meaning => {
  const found = findCause(error, ServiceManagerError)?.class;
  if (found === 'gone') return 'gone';
  return found === 'conflict' || found === 'concurrent-operation' ? 'taken' : ofKind(error);
};

const meaningOf = (
  work: Promise<unknown>,
  ofError: (error: unknown) => Meaning = ofKind,
  ofResult: (result: unknown) => Meaning = () => 'done',
): Promise<Meaning> => work.then(ofResult, ofError);

const oauth = (url: string) => ({
  baseUrl: url,
  tokenUrl: `${url}/oauth/token`,
  clientId: 'client',
  authentication: { method: 'client-secret', clientSecret: 'secret' } as const,
});

const ofApi = (deps: Deps) => ({
  ...deps,
  limiter: createConcurrencyLimiter(deps),
  ...{ allowPrivateEndpoints: true, retryBackoffMs: 1, callTimeoutMs: 20_000 },
});

const key = { namespace: 'shop', name: 'orders' };
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: key };
const stored = { ...secret, metadata: { ...key, resourceVersion: '1' } };
const preconditions = { uid: 'uid-1' };
const status = (code: number, reason: string) => ({
  ...{ kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: reason },
  details: { name: key.name, kind: 'secrets' },
});
const OF_API_SERVERS = [
  ['get', 404, status(404, 'NotFound'), 'gone'],
  ['delete', 404, status(404, 'NotFound'), 'gone'],
  ['delete', 409, status(409, 'Conflict'), 'taken'],
  ['create', 409, status(409, 'AlreadyExists'), 'taken'],
  ['update', 422, status(422, 'Invalid'), 'refused'],
] as const;

function openKube(
  { url, deps }: { readonly url: string; readonly deps: Deps },
  ofError: (error: unknown) => Meaning,
  through = <T>(send: () => Promise<T>) => send(),
) {
  const config = { server: url, credentials: async () => ({ headers: {} }) };
  const client = createKubeClient({ ...deps, config, clusterName: 'the cluster' });
  const call = (name: string, send: (signal: AbortSignal) => Promise<unknown>): Call => ({
    name,
    send: (signal) =>
      meaningOf(
        through(() => send(signal)),
        ofError,
      ),
  });
  return {
    calls: [
      call('get', (signal) => client.get(secrets, key, { signal })),
      call('create', (signal) => client.create(secrets, secret, { signal })),
      call('update', (signal) => client.update(secrets, stored, { signal })),
      call('patch', (signal) =>
        client.mergePatch(secrets, key, { metadata: { resourceVersion: '1' } }, { signal }),
      ),
      call('delete', (signal) => client.delete(secrets, key, { signal, preconditions })),
    ],
    close: () => client.close(),
  };
}

const INSTANCE = 'instance-1';
const IDENTITY = { clusterID: 'cluster-1', namespace: 'shop', name: 'orders' };
const NOT_FOUND = { code: 'NOT_FOUND', message: 'there is no such mapping' };

export const CLIENTS: readonly AnsweringClient[] = [
  {
    name: 'Kubernetes, and clusters of users',
    files: [],
    open: async (url, deps) => openKube({ url, deps }, ofKube),
    own: OF_API_SERVERS,
  },
  {
    name: 'Gardener',
    files: [],
    open: async (url, deps) => openKube({ url, deps }, ofGardener, ask),
    own: OF_API_SERVERS.filter(([call]) => call !== 'create'),
  },
  {
    name: 'HANA Cloud',
    files: ['internal/systems/inventory/hana-cloud/client.ts'],
    open: async (url, deps) => {
      const hana = createHanaCloud({ ...ofApi(deps), listFreshMs: 0 });
      const client = hana.connect(oauth(url));
      const mapping = { platform: 'kubernetes', primaryID: 'cluster-1', isDefault: false } as const;
      const stateOf = (result: unknown): Meaning => {
        if (result === 'gone' || (result as { state?: unknown }).state === 'not-found') return 'gone';
        return result === 'exists' ? 'taken' : 'done';
      };
      return {
        calls: [
          {
            name: 'list',
            send: (signal) => meaningOf(client.listMappings(INSTANCE, { signal }), ofKind, stateOf),
          },
          {
            name: 'create',
            unrepeatable: true,
            send: (signal) =>
              meaningOf(client.createMapping(INSTANCE, mapping, { signal, fence }), ofKind, stateOf),
          },
          {
            name: 'delete',
            send: (signal) =>
              meaningOf(client.deleteMapping(INSTANCE, mapping, { signal, fence }), ofKind, stateOf),
          },
        ],
        close: async () => {
          await client.close();
          await hana.close();
        },
      };
    },
    own: [
      ['list', 404, NOT_FOUND, 'gone'],
      ['create', 404, NOT_FOUND, 'gone'],
      ['create', 409, { code: 'CONFLICT', message: 'the mapping exists' }, 'taken'],
      ['delete', 404, NOT_FOUND, 'gone'],
    ],
    // It lists then.
    tolerates: { any: { 409: ['taken'] } },
  },
  {
    name: 'Service Manager',
    files: ['internal/systems/btp/service-manager/service-manager.ts'],
    open: async (url, deps) => {
      const manager = createServiceManager({ ...ofApi(deps), clientVersion: '1.0.0' });
      const client = manager.connect(oauth(url), { correlationID: 'c' });
      const stateOf = (result: unknown): Meaning =>
        result === undefined || (result as { state?: unknown }).state === 'absent' ? 'gone' : 'done';
      const instance = { name: 'orders', servicePlanID: 'plan', identity: IDENTITY };
      const binding = { name: 'key', serviceInstanceID: INSTANCE, identity: IDENTITY };
      const call = (name: string, send: (signal: AbortSignal) => Promise<unknown>) => ({
        name,
        send: (signal: AbortSignal) => meaningOf(send(signal), ofServiceManager, stateOf),
      });
      const once = { unrepeatable: true } as const;
      return {
        calls: [
          call('get', (signal) => client.getInstance(INSTANCE, { signal })),
          call('get binding', (signal) => client.getBinding(INSTANCE, { signal })),
          { ...once, ...call('create', (signal) => client.createInstance(instance, { signal, fence })) },
          { ...once, ...call('bind', (signal) => client.createBinding(binding, { signal, fence })) },
          call('update', (signal) =>
            client.updateInstance(INSTANCE, { name: 'a', servicePlanID: 'plan' }, { signal, fence }),
          ),
          call('delete', (signal) => client.deleteInstance(INSTANCE, { signal, fence })),
          call('unbind', (signal) => client.deleteBinding(INSTANCE, { signal, fence })),
        ],
        close: async () => {
          await client.close();
          await manager.close();
        },
      };
    },
    own: [
      ['get', 404, { error: 'NotFound', description: 'no such instance' }, 'gone'],
      ['delete', 410, { error: 'Gone', description: 'it is gone' }, 'gone'],
      ['create', 409, { error: 'Conflict', description: 'the name is taken' }, 'taken'],
      ['update', 422, { error: 'ConcurrentOperationInProgress', description: 'wait' }, 'taken'],
    ],
  },
  {
    name: 'token endpoints',
    files: [],
    open: async (url, deps) => {
      const sessions = createApiSessions({ ...ofApi(deps), system: 'api', apiName: 'API' });
      const session = sessions.open({ ...oauth(url), tokenUrl: `${url}/token` });
      return {
        calls: [{ name: 'token', send: (signal) => meaningOf(session.checkToken(signal)) }],
        close: async () => {
          await session.close();
          await sessions.close();
        },
      };
    },
    own: [
      ['token', 400, { error: 'invalid_client' }, 'credentials'],
      ['token', 200, { access_token: 'token', token_type: 'bearer', expires_in: 3600 }, 'done'],
    ],
  },
  {
    name: 'mothership, by KymaClusters and commands',
    files: ['internal/systems/reconciler/client/mothership-client.ts'],
    open: async (url, deps) => {
      const client = createMothershipClient({
        ...deps,
        ...{ url, allowPrivateEndpoints: true, env: {} },
        oauth: { credentials: oauth(url), tokens: createMothershipTokens(deps) },
      });
      return {
        calls: [
          { name: 'state', send: (signal) => meaningOf(client.clusterState('a', signal)) },
          { name: 'status', send: (signal) => meaningOf(client.clusterStatus('a', signal)) },
          { name: 'put', send: (signal) => meaningOf(client.putCluster({} as never, { signal, fence })) },
          { name: 'delete', send: (signal) => meaningOf(client.deleteCluster('a', { signal, fence })) },
        ],
        close: () => client.close(),
      };
    },
    own: [
      ['state', 404, { error: 'cannot find cluster a' }, 'gone'],
      ['delete', 404, { error: 'cannot find cluster a' }, 'gone'],
    ],
  },
  {
    name: 'mothership, by reports of components',
    files: ['internal/systems/reconciler/components/reports/http-callbacks.ts'],
    open: async (url, deps) => {
      const callbacks = createHttpCallbacks(deps);
      const meanings: Readonly<Record<string, Meaning>> = {
        ...{ delivered: 'done', undelivered: 'again', refused: 'refused', superseded: 'gone' },
      };
      const report = callbacks.to(`${url}/v1/operations/s/callback/c`, nopLogger);
      const message = { status: 'success', error: '', retryID: 'r', processingDuration: 1 } as const;
      return {
        calls: [
          { name: 'report', send: async (signal) => meanings[await report(message, signal)] ?? 'done' },
        ],
        close: () => callbacks.close(),
      };
    },
    own: [
      ['report', 404, { error: 'there is no such operation' }, 'gone'],
      ['report', 409, { error: 'it has ended' }, 'gone'],
      ['report', 400, { error: 'a field is missing' }, 'refused'],
    ],
    // The contract of callbacks is the status alone.
    tolerates: { page: { 200: ['done'] } },
  },
  {
    name: 'component reconcilers',
    files: ['internal/systems/reconciler/mothership/dispatch/http-invoker.ts'],
    open: async (url, deps) => {
      const settings = { reconcilers: { base: `${url}/v1/run` }, callTimeoutMs: 20_000, workers: 1 };
      const invoker = createHttpInvoker({ ...deps, settings });
      // What is refused is sent again after a delay.
      const meanings: Readonly<Record<string, Meaning>> = {
        ...{ accepted: 'done', refused: 'again', unsent: 'again', unknown: 'unknown', unroutable: 'refused' },
      };
      const task = { component: 'a', kubeconfig: '', correlationID: 'c', callbackURL: '', url: '' } as Task;
      return {
        calls: [
          {
            name: 'run',
            send: async (signal) => meanings[(await invoker.invoke(task, signal)).kind] ?? 'done',
          },
        ],
        close: () => invoker.close(),
      };
    },
    own: [
      ['run', 200, {}, 'done'],
      ['run', 500, { error: 'busy' }, 'again'],
    ],
  },
  {
    name: 'APIs of authors',
    files: ['internal/framework/rest/rest-api.ts', 'internal/framework/http/session/api-sessions.ts'],
    open: async (url, deps) => {
      const sessions = createApiSessions({ ...ofApi(deps), system: 'buckets', apiName: 'Buckets' });
      const session = sessions.openFixed({ baseUrl: url, authentication: { method: 'none' } });
      const calls = restCalls({ noun: 'bucket' }, { session, headers: {}, targets: [] });
      const contextOf = (signal: AbortSignal) =>
        ({ signal, assertMayWrite: () => undefined }) as unknown as ReconcileContext;
      const parameters = () => 'a';
      const stateOf = (result: unknown): Meaning => (result === undefined ? 'gone' : 'done');
      return {
        calls: [
          {
            name: 'read',
            send: (signal) =>
              meaningOf(calls.read('GET /buckets/{id}', parameters, contextOf(signal)), ofKind, stateOf),
          },
          {
            name: 'create',
            unrepeatable: true,
            send: (signal) => {
              const request = { parameters, body: {}, once: true };
              return meaningOf(calls.write('POST /buckets', request, contextOf(signal)), ofKind, stateOf);
            },
          },
          {
            name: 'delete',
            send: (signal) =>
              meaningOf(
                calls.write('DELETE /buckets/{id}', { parameters }, contextOf(signal)),
                ofKind,
                stateOf,
              ),
          },
        ],
        close: async () => {
          await session.close();
          await sessions.close();
        },
      };
    },
    own: [
      ['read', 404, { message: 'no such bucket' }, 'gone'],
      ['delete', 410, { message: 'it is gone' }, 'gone'],
      ['create', 422, { message: 'the name is too long' }, 'refused'],
    ],
    // The form of errors is the author's: `hooks.errorOf`. A JSON object is taken for one of the API.
    tolerates: Object.fromEntries(
      ['JSON of Kong', 'JSON of Spring', 'JSON with an id', 'JSON that names nothing'].map((form) => [
        form,
        { 400: ['refused'], 404: ['gone'], 410: ['gone'], 422: ['refused'], 500: ['again'], 503: ['again'] },
      ]),
    ),
  },
  {
    name: 'archives, registries and repositories of charts',
    files: [
      'internal/systems/reconciler/components/program/open-parts.ts',
      'internal/systems/reconciler/components/charts/sources/workspaces.ts',
      'internal/systems/reconciler/components/reconcilers/connectivity-proxy/connectivity-proxy.ts',
    ],
    open: async (url, deps) => {
      const connections = openConnections({
        ...{ allowPrivateEndpoints: true, trustedCertificates: [], env: {}, perOrigin: 2 },
        ...{ connectTimeoutMs: 5000, keepAliveMs: 60_000 },
      });
      const http = createSourceHttp({ ...deps, connections, allowPrivateEndpoints: true });
      const read = async (signal: AbortSignal) => {
        const { body } = await http.send(
          { url: new URL('/chart.tgz', url), maxBytes: 1000, tenant: '' },
          signal,
        );
        for await (const _ of body);
      };
      return {
        calls: [{ name: 'download', send: (signal) => meaningOf(read(signal)) }],
        close: () => connections.close(),
      };
    },
    own: [['download', 404, {}, 'gone']],
    // A server of files has no form for errors. A task fails, and nothing is deleted. What is downloaded has a digest or a signature of
    // its format.
    tolerates: {
      any: Object.fromEntries(
        [400, 404, 405, 409, 410, 413, 422].map((code) => [code, ['gone', 'refused'] as const]),
      ),
      page: { 200: ['done'] },
    },
  },
];
