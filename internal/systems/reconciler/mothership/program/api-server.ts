import { hostname } from 'node:os';
import {
  type Clock,
  type Deps,
  messageOf,
  ProviderError,
  withDeadline,
} from '../../../../framework/base/index.ts';
import {
  type HttpServer,
  type MetricsPage,
  type RequestListener,
  type Runnable,
  startHttpServer,
  untilAborted,
} from '../../../../framework/process/index.ts';
import { freeAddress } from '../../../../framework/process/server/listen.ts';
import { startLoopbackServers } from '../../../../framework/process/server/loopback-servers.ts';
import type { Page } from '../../../../framework/process/server/pages.ts';
import { serverTls } from '../../../../framework/process/server/server-tls.ts';
import { MAX_BODY_BYTES, refusedRequestPage } from '../api/create-listener.ts';
import type { MothershipFlags } from '../config/start-flags.ts';
import type { Database } from '../database/database.ts';

interface ApiServerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly flags: Pick<
    MothershipFlags,
    'serverPort' | 'serverCrt' | 'serverKey' | 'clientCaFile' | 'login' | 'oidcIssuerUrl'
  >;
  /** @param signal aborted when requests in progress must end */
  readonly createListener: (signal: AbortSignal) => Promise<RequestListener>;
}

interface ApiServer extends Runnable {
  /** Addresses as bound, once it listens. */
  addresses(): readonly string[];
}

/** For callbacks of thousands of operations at the same time; each has a connection for a moment. */
const MAX_CONNECTIONS = 4096;
const MAX_BODIES_BYTES = 32 * 1024 * 1024;
/** Most callbacks of a burst have a connection of their own. */
const LISTENERS = 8;

/** The server of both APIs, metrics and probes. It listens on loopback addresses only, unless there is a login or `--no-login`. */
export function createApiServer({ flags, clock, log, createListener }: ApiServerOptions): ApiServer {
  let servers: readonly HttpServer[] = [];
  return {
    name: 'API server',
    addresses: () => servers.map(({ address }) => address),
    start: async (signal, abort) => {
      const tls = await serverTls(flags);
      const options = {
        clock,
        log,
        ...tls,
        maxBodyBytes: MAX_BODY_BYTES,
        maxBodiesBytes: MAX_BODIES_BYTES,
        maxConnections: MAX_CONNECTIONS,
        listeners: LISTENERS,
        flag: PORT_FLAG,
        failurePage: (request: { url?: string | undefined }, status: number) =>
          refusedRequestPage(request.url ?? '/', status),
        listener: await createListener(abort),
      };
      servers = isOpen(flags)
        ? [await startHttpServer({ ...options, address: `:${flags.serverPort}` })]
        : await startLoopbackServers(options, flags.serverPort);
      log.info('serving', {
        addresses: servers.map(({ address }) => address),
        host: hostname(),
        login: flags.oidcIssuerUrl !== '' ? flags.oidcIssuerUrl : 'none',
        ...(isOpen(flags)
          ? {}
          : {
              reachable:
                'from this machine only, since there is no login; see --oidc-issuer-url and --no-login',
            }),
      });
      await untilAborted(signal);
      await Promise.all(servers.map((server) => server.close(abort)));
    },
  };
}

const PORT_FLAG = '--server-port';

/** Before the database is opened, which takes seconds. @throws InvalidConfigurationError */
export async function assertPortFree(flags: ApiServerOptions['flags']): Promise<void> {
  const host = isOpen(flags) ? '' : '127.0.0.1';
  await freeAddress(`${host}:${flags.serverPort}`, PORT_FLAG);
}

const isOpen = ({ login, oidcIssuerUrl }: ApiServerOptions['flags']): boolean =>
  oidcIssuerUrl !== '' || !login;

interface ProbePagesOptions {
  readonly database: Pick<Database, 'ping'>;
  readonly metrics: MetricsPage;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** What else keeps the process from its work. Default: nothing. */
  readonly problem?: () => string | undefined;
}

/** Time in which the database must answer, in ms. */
const PING_TIMEOUT_MS = 3000;

/** Probes and metrics, which need no login. */
export function probePages({ database, metrics, clock, isStopping, problem }: ProbePagesOptions) {
  let pinging: Promise<void> | undefined;
  const ping = async () => {
    // One at a time: probes of a database that hangs must not take its connections.
    pinging ??= database.ping().finally(() => {
      pinging = undefined;
    });
    using deadline = withDeadline(clock, PING_TIMEOUT_MS, 'ping of the database');
    await Promise.race([pinging, rejection(deadline.signal)]);
  };
  return {
    '/health/live': async () => json(200, { status: 'live' }),
    '/health/ready': async () => {
      try {
        if (isStopping()) throw new ProviderError('transient', 'the mothership is stopping');
        await ping();
        const other = problem?.();
        if (other !== undefined) throw new ProviderError('transient', other);
        return json(200, { status: 'ready' });
      } catch (error) {
        return json(503, { error: `not ready: ${messageOf(error)}` });
      }
    },
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.text(),
    }),
  } satisfies Readonly<Record<string, () => Promise<Page>>>;
}

const json = (status: number, body: object): Page => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
