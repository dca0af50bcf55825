import { createServer, type Server } from 'node:net';
import { InvalidConfigurationError, messageOf, ProviderError } from '../../base/errors/errors.ts';

/** The address with its port, at which no socket listens. @throws InvalidConfigurationError as `listen` */
export async function freeAddress(address: string, flag?: string): Promise<string> {
  const server = createServer();
  const free = await listen(server, address, { flag });
  await new Promise((closed) => server.close(closed));
  return free;
}

/**
 * Starts to listen.
 *
 * @param address `:8080` (every interface) or `host:port`; IPv6 hosts in brackets; port 0 takes any free one
 * @param options.flag the flag with the address, for errors
 * @param options.shared other sockets of this user may listen at the address too, if all say so; default false
 * @returns the address with the actual port
 * @throws InvalidConfigurationError if the address is in use, or may not be used
 */
export async function listen(
  server: Server,
  address: string,
  { flag, shared = false }: { readonly flag?: string | undefined; readonly shared?: boolean } = {},
): Promise<string> {
  const parsed = parseListenAddress(address);
  if (parsed === undefined) {
    throw new ProviderError(
      'terminal',
      `cannot listen on ${JSON.stringify(address)}: not of the form host:port or :port`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause) => reject(failureOf(cause, address, flag)));
    server.listen({ ...parsed, reusePort: shared }, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return address;
  return `${address.replace(/:\d+$/, '')}:${bound.port}`;
}

function failureOf(cause: NodeJS.ErrnoException, address: string, flag: string | undefined): ProviderError {
  const what = `cannot listen on ${address}`;
  const remedy = flag === undefined ? '' : `; choose another one by ${flag}`;
  switch (cause.code) {
    case 'EADDRINUSE':
      return new InvalidConfigurationError(`${what}: another program has this port (EADDRINUSE)${remedy}`, {
        cause,
      });
    case 'EACCES':
      return new InvalidConfigurationError(`${what}: this user may not have this port (EACCES)${remedy}`, {
        cause,
      });
    default:
      return new ProviderError('terminal', `${what}: ${messageOf(cause)}`, { cause });
  }
}

/** Address of a server; without host on every interface. */
interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads `:port` or `host:port`, IPv6 hosts in brackets; undefined for anything else. */
export function parseListenAddress(address: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:]*)):(\d{1,5})$/.exec(address);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) return undefined;
  return { host: match[1] ?? (match[2] === '' ? undefined : match[2]), port };
}

/** Flags disable a server by `0` or an empty address. */
export function isOff(address: string): boolean {
  return address === '0' || address === '';
}
