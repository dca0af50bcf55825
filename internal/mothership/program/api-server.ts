import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import type { Deps } from '../../base/deps.ts';
import { InvalidConfigurationError, messageOf, ProviderError } from '../../base/errors/errors.ts';
import { type Runnable, untilAborted } from '../../process/manager/runnable.ts';
import {
  type HttpServer,
  type HttpServerOptions,
  startHttpServer,
} from '../../process/server/http-server.ts';
import type { RequestListener } from '../../process/server/request-listener.ts';
import { MAX_BODY_BYTES, unreadPage } from '../api/http/create-listener.ts';
import type { MothershipFlags } from '../config/start-flags.ts';

export interface ApiServerOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly flags: Pick<
    MothershipFlags,
    'serverPort' | 'serverCrt' | 'serverKey' | 'clientCaFile' | 'login' | 'oidcIssuerUrl'
  >;
  /** @param signal aborted when requests in progress must end */
  readonly createListener: (signal: AbortSignal) => Promise<RequestListener>;
}

export interface ApiServer extends Runnable {
  /** Addresses as bound, once it listens. */
  addresses(): readonly string[];
}

/** For callbacks of thousands of operations at the same time; each has a connection for a moment. */
const MAX_CONNECTIONS = 4096;
const MAX_BODIES_BYTES = 32 * 1024 * 1024;

/** The server of both APIs, metrics and probes. It listens on loopback addresses only, unless there is a login or `--no-login`. */
export function createApiServer({ flags, clock, log, createListener }: ApiServerOptions): ApiServer {
  let servers: readonly HttpServer[] = [];
  return {
    name: 'API server',
    addresses: () => servers.map(({ address }) => address),
    start: async (signal, abort) => {
      const tls = await tlsOf(flags);
      const options = {
        clock,
        log,
        ...tls,
        maxBodyBytes: MAX_BODY_BYTES,
        maxBodiesBytes: MAX_BODIES_BYTES,
        maxConnections: MAX_CONNECTIONS,
        failurePage: (request: { url?: string | undefined }, status: number) =>
          unreadPage(request.url ?? '/', status),
        listener: await createListener(abort),
      };
      servers = isOpen(flags)
        ? [await startHttpServer({ ...options, address: `:${flags.serverPort}` })]
        : await onLoopback(options, flags.serverPort);
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

const isOpen = ({ login, oidcIssuerUrl }: ApiServerOptions['flags']): boolean =>
  oidcIssuerUrl !== '' || !login;

/** On both loopback addresses; machines without IPv6 have one. */
async function onLoopback(
  options: Omit<HttpServerOptions, 'address'>,
  port: number,
): Promise<readonly HttpServer[]> {
  const first = await startHttpServer({ ...options, address: `127.0.0.1:${port}` });
  const bound = first.address.slice(first.address.lastIndexOf(':') + 1);
  try {
    return [first, await startHttpServer({ ...options, address: `[::1]:${bound}` })];
  } catch (error) {
    const code =
      error instanceof ProviderError ? (error.cause as NodeJS.ErrnoException | undefined)?.code : '';
    if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || port === 0) return [first];
    await first.close(AbortSignal.abort());
    throw error;
  }
}

async function tlsOf({
  serverCrt,
  serverKey,
  clientCaFile,
}: ApiServerOptions['flags']): Promise<Pick<HttpServerOptions, 'certificate' | 'clientAuthorities'>> {
  const hasCertificate = serverCrt !== '' && serverKey !== '';
  if (!hasCertificate && serverCrt !== serverKey) {
    throw new InvalidConfigurationError('cannot serve HTTPS: give both --server-crt and --server-key');
  }
  if (!hasCertificate && clientCaFile !== '') {
    throw new InvalidConfigurationError(
      'cannot check client certificates over HTTP: --client-ca-file needs --server-crt and --server-key',
    );
  }
  return {
    ...(hasCertificate ? { certificate: { certificate: serverCrt, key: serverKey } } : {}),
    ...(clientCaFile === ''
      ? {}
      : { clientAuthorities: await readCertificates(clientCaFile, '--client-ca-file') }),
  };
}

/** @throws InvalidConfigurationError */
export async function readCertificates(path: string, flag: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${messageOf(error)}`);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) {
    throw new InvalidConfigurationError(`cannot use ${flag}: ${path} has no certificate`);
  }
  return text;
}
