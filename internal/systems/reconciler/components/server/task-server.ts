import { createHash, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import {
  type Deps,
  InvalidConfigurationError,
  type Logger,
  messageOf,
} from '../../../../framework/base/index.ts';
import {
  type CompleteRequest,
  type MetricsPage,
  type RequestListener,
  type Runnable,
  startHttpServer,
  untilAborted,
} from '../../../../framework/process/index.ts';
import { startLoopbackServers } from '../../../../framework/process/server/loopback-servers.ts';
import { type Page, pagesListener } from '../../../../framework/process/server/pages.ts';
import { type ServerTlsFlags, serverTls } from '../../../../framework/process/server/server-tls.ts';
import type { RunnerSettings } from '../model/settings.ts';
import type { RefusedOffer, TaskPool } from '../pool/task-pool.ts';
import { MAX_TASK_BYTES, RefusedTaskError, readTask } from './read-task.ts';

export interface TaskServerFlags extends ServerTlsFlags {
  readonly serverPort: number;
  readonly tokenFile: string;
  /** False with `--no-login`. */
  readonly login: boolean;
}

export interface TaskServerOptions extends Omit<TaskListenerOptions, 'access'>, Pick<Deps, 'clock' | 'log'> {
  readonly flags: TaskServerFlags;
}

const MAX_BODIES_BYTES = 16 * 1024 * 1024;
const MAX_CONNECTIONS = 512;

/** The server of tasks, metrics and probes. It listens on loopback addresses only, unless clients are checked, or `--no-login`. */
export function createTaskServer({ flags, clock, log, ...listener }: TaskServerOptions): Runnable {
  return {
    name: 'server of tasks',
    start: async (signal, abort) => {
      const { clientCaFile, tokenFile, login, serverPort } = flags;
      const asksForCertificate = clientCaFile !== '';
      const isOpen = asksForCertificate || tokenFile !== '' || !login;
      const options = {
        clock,
        log,
        ...(await serverTls(flags)),
        maxBodyBytes: MAX_TASK_BYTES,
        maxBodiesBytes: MAX_BODIES_BYTES,
        maxConnections: MAX_CONNECTIONS,
        flag: '--server-port',
        failurePage: (_: unknown, status: number) => refusedRequestPage(status),
        listener: createTaskListener({
          ...listener,
          log,
          access: await createAccess({ asksForCertificate, tokenFile }),
        }),
      };
      const servers = isOpen
        ? [await startHttpServer({ ...options, address: `:${serverPort}` })]
        : await startLoopbackServers(options, serverPort);
      log.info('serving', {
        addresses: servers.map(({ address }) => address),
        ...(isOpen
          ? {}
          : {
              reachable:
                'from this machine only, since nobody checks clients; see --client-ca-file, --token-file and --no-login',
            }),
      });
      await untilAborted(signal);
      await Promise.all(servers.map((server) => server.close(abort)));
    },
  };
}

// The API of a component reconciler: tasks at `/v1/run`, probes and metrics.

interface TaskListenerOptions {
  readonly pool: Pick<TaskPool, 'offer' | 'isOpen'>;
  readonly access: Access;
  readonly settings: Pick<RunnerSettings, 'maxRetries'>;
  readonly metrics: MetricsPage;
  readonly log: Logger;
}

/** The version in the path is not checked. */
const RUN = /^\/v\d+\/run\/?$/;

export function createTaskListener(options: TaskListenerOptions): RequestListener {
  const { pool, metrics } = options;
  const pages = pagesListener({
    '/health/live': () => json(200, { status: 'live' }),
    '/health/ready': () =>
      pool.isOpen()
        ? json(200, { status: 'ready' })
        : json(503, { error: 'not ready: no tasks are accepted' }),
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.text(),
    }),
  });
  return async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1);
    if (RUN.test(path)) send(response, await answer(request, options));
    else await pages(request, response);
  };
}

/** Which limit refuses a task, for the mothership's list of operations. */
const LIMITS: Readonly<Record<RefusedOffer['limit'], (tasks: number) => string>> = {
  workers: (tasks) => `all ${tasks} workers are busy (--worker-count)`,
  cluster: (tasks) => `${tasks} workers are busy with this cluster, which may have no more of them`,
  tenant: (tasks) => `${tasks} workers are busy with clusters of this tenant, which may have no more of them`,
  waiting: (tasks) => `${tasks} tasks are in progress or wait for their next attempt: no more are accepted`,
};

async function answer(
  request: CompleteRequest,
  { pool, access, settings, log }: TaskListenerOptions,
): Promise<Page> {
  if (request.method !== 'POST' && request.method !== 'PUT') {
    return json(405, { error: 'the method is not allowed here' });
  }
  if (!(await access(request))) {
    return json(401, { error: 'a client certificate or a bearer token is needed' });
  }
  try {
    const task = readTask(request.rawBody.toString('utf8'), settings);
    const offer = pool.offer(task);
    const fields = { 'correlation-id': task.correlationID, 'component-name': task.component };
    const shown = typeof offer === 'string' ? { offer } : { offer: 'refused', ...offer };
    log.info('task', { ...fields, type: task.type, ...shown });
    switch (offer) {
      case 'accepted':
        return json(200, {});
      case 'closed':
        return json(500, { error: 'cannot begin the task: the component reconciler is stopping' });
      default:
        return json(429, { error: LIMITS[offer.limit](offer.tasks) });
    }
  } catch (error) {
    if (!(error instanceof RefusedTaskError)) throw error;
    log.info('task refused', { status: error.status, error: messageOf(error) });
    return json(error.status, { error: messageOf(error) });
  }
}

/** For requests whose body was not read: too large, or no memory for it. */
export function refusedRequestPage(status: number): Page {
  const problem = status === 413 ? `the body has more than ${MAX_TASK_BYTES} bytes` : 'the request failed';
  return json(status === 413 ? 500 : status, { error: problem });
}

const json = (status: number, body: object): Page => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

function send(response: ServerResponse, { status, contentType, body }: Page): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

/** Who may send tasks: a client with a certificate, or with a bearer token; with both configured, one of them is enough. */
interface AccessOptions {
  /** Whether clients are asked for a certificate. */
  readonly asksForCertificate: boolean;
  /** File with bearer tokens, one on a line; it is read for each request, so that it can be replaced. Empty: none. */
  readonly tokenFile: string;
}

/** Whether a request may send a task. */
type Access = (request: IncomingMessage) => Promise<boolean>;

const MAX_TOKENS_LENGTH = 64 * 1024;

/** @throws InvalidConfigurationError if the file cannot be used */
export async function createAccess({ asksForCertificate, tokenFile }: AccessOptions): Promise<Access> {
  if (tokenFile !== '') await readTokens(tokenFile);
  if (!asksForCertificate && tokenFile === '') return async () => true;
  return async (request) => {
    const { authorized } = request.socket as Partial<TLSSocket>;
    if (asksForCertificate && authorized === true) return true;
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (tokenFile === '' || token === undefined) return false;
    const digest = digestOf(token);
    return (await readTokens(tokenFile)).some((known) => timingSafeEqual(digestOf(known), digest));
  };
}

async function readTokens(path: string): Promise<readonly string[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use --token-file: ${messageOf(error)}`);
  });
  if (text.length > MAX_TOKENS_LENGTH) {
    throw new InvalidConfigurationError('cannot use --token-file: it is longer than 64 KiB');
  }
  const tokens = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (tokens.length > 0) return tokens;
  throw new InvalidConfigurationError('cannot use --token-file: it has no token');
}

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest();
