/** The other side: a REST API that keeps greetings by id. */
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
      // `fetch` throws a TypeError where nobody answers, which would count as a bug of ours.
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
    /** Undefined where there is none. */
    find: async (id: string, signal: AbortSignal) => {
      const response = await call('GET', id, signal);
      return response.status === 404 ? undefined : ((await response.json()) as { text: string });
    },
    put: (id: string, text: string, signal: AbortSignal) => call('PUT', id, signal, { text }),
    /** One that is gone already is no error. */
    remove: (id: string, signal: AbortSignal) => call('DELETE', id, signal),
  };
}
