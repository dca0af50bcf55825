import { ProviderError } from '../../base/errors/errors.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';

/** Servers on both loopback addresses with the same port; machines without IPv6 have one. @param port 0 takes any free one */
export async function startLoopbackServers(
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
