import type { Server } from 'node:net';
import { messageOf, ProviderError } from '../../base/errors/errors.ts';
import { parseListenAddress } from './listen-address.ts';

/**
 * Starts to listen.
 *
 * @param address `:8080` (every interface) or `host:port`; IPv6 hosts in brackets; port 0 takes any free one
 * @returns the address with the actual port
 */
export async function listen(server: Server, address: string): Promise<string> {
  const parsed = parseListenAddress(address);
  if (parsed === undefined) {
    throw new ProviderError(
      'terminal',
      `cannot listen on ${JSON.stringify(address)}: not of the form host:port or :port`,
    );
  }
  await new Promise<void>((resolve, reject) => {
    server.on('error', (cause) =>
      reject(new ProviderError('terminal', `cannot listen on ${address}: ${messageOf(cause)}`, { cause })),
    );
    server.listen(parsed.port, parsed.host, resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return address;
  return `${address.replace(/:\d+$/, '')}:${bound.port}`;
}
