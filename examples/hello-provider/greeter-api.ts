/** Client of the external API: a REST API that stores greetings by id. */
import { messageOf, ProviderError, ThrottledError } from 'provider-kyma/base';

export type GreeterApi = ReturnType<typeof createGreeterApi>;

export function createGreeterApi(url: string, token: string) {
  const call = async (method: string, id: string, signal: AbortSignal, body?: object) => {
    const doing = `cannot ${method} greeting ${id}`;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const path = `/greetings/${encodeURIComponent(id)}`;
    const request = fetch(new URL(path, url), { method, headers, signal, ...content });
    const response = await request.catch((error: Error) => {
      // `fetch` throws a TypeError if there is no response, which would count as a bug.
      throw new ProviderError('transient', `${doing}: ${messageOf(error.cause ?? error)}`);
    });
    const { ok, status } = response;
    if (ok || (status === 404 && method !== 'PUT')) return response;
    const text = `${doing}: HTTP status ${status}`;
    if (status === 429)
      throw new ThrottledError(text, 1000 * (Number(response.headers.get('retry-after')) || 1));
    if (status === 401 || status === 403) throw new ProviderError('auth', text);
    throw new ProviderError(status === 422 ? 'terminal' : 'transient', text);
  };
  return {
    /** Returns undefined if it does not exist. */
    find: async (id: string, signal: AbortSignal) => {
      const response = await call('GET', id, signal);
      return response.status === 404 ? undefined : ((await response.json()) as { text: string });
    },
    put: (id: string, text: string, signal: AbortSignal) => call('PUT', id, signal, { text }),
    /** A missing greeting is not an error. */
    remove: (id: string, signal: AbortSignal) => call('DELETE', id, signal),
  };
}
