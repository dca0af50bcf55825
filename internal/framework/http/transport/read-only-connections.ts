import type { Dispatcher } from 'undici';
import { ReadOnlyError } from '../../base/read-only.ts';
import type { Connections } from './connections.ts';

/**
 * Connections that refuse all requests except GET and the token grant, a POST to exactly this endpoint. A refused request
 * fails with ReadOnlyError before it gets a connection.
 */
export function readOnlyConnections(inner: Connections, tokenUrl: string): Connections {
  const token = new URL(tokenUrl);
  const guard: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (options.method !== 'GET' && !isGrant(options, token)) throw refusal(options);
    return dispatch(options, handler);
  };
  return {
    dispatcherFor: (url) => inner.dispatcherFor(url).compose(guard),
    close: () => inner.close(),
  };
}

function isGrant({ method, origin, path, query }: Dispatcher.DispatchOptions, token: URL): boolean {
  return (
    method === 'POST' && String(origin) === token.origin && path === token.pathname && query === undefined
  );
}

function refusal({ method, origin, path }: Dispatcher.DispatchOptions): ReadOnlyError {
  return new ReadOnlyError(method, `${String(origin)}${path.split('?', 1)[0]}`);
}
