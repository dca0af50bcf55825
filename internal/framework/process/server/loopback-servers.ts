import { ProviderError } from '../../base/errors/errors.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
import { sameOriginListener } from './same-origin.ts';

/**
 * Servers without login on both loopback addresses with the same port; machines without IPv6 have one. Requests of web pages
 * of other origins are refused.
 *
 * @param port 0 takes any free one
 */
export async function startLoopbackServers(
  { listener, ...rest }: Omit<HttpServerOptions, 'address'>,
  port: number,
): Promise<readonly HttpServer[]> {
  const options = { ...rest, listener: sameOriginListener(listener) };
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
