import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';

export type Schemas = components['schemas'];

/** The session has ended, or the user may not do it. */
export class AccessError extends Error {}

/** Calls the API of the server that the page comes from. @throws AccessError, Error with the message of the server */
async function call<T>(method: 'GET' | 'POST' | 'PUT', path: string, content?: object): Promise<T> {
  const response = await fetch(`/v1${path}`, {
    method,
    headers: { accept: 'application/json' },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const message = (body as Partial<Schemas['Error']> | undefined)?.error ?? `status ${response.status}`;
  throw response.status === 401 || response.status === 403 ? new AccessError(message) : new Error(message);
}

export type Window = Schemas['History']['window'];

const id = encodeURIComponent;

export const api = {
  /** @param window of the runs that it has too */
  overview: (window?: Window) =>
    call<Schemas['Overview']>('GET', window === undefined ? '/overview' : `/overview?window=${window}`),
  load: () => call<Schemas['ComponentLoad'][]>('GET', '/load'),
  /** @param query of `clusterQuery` */
  clusters: (query: string) => call<Schemas['ClusterList']>('GET', `/clusters?${query}`),
  details: (runtimeId: string) =>
    call<Schemas['ClusterDetails']>('GET', `/clusters/${id(runtimeId)}/details`),
  setStatus: (runtimeId: string, status: Schemas['Status']) =>
    call<Schemas['ClusterResponse']>('PUT', `/clusters/${id(runtimeId)}/status`, { status }),
  resume: (rolloutId: string) => call<Schemas['Rollout']>('POST', `/rollouts/${id(rolloutId)}/resume`),
};

/** What a server responded, with its time going on. */
export interface Timed<T> {
  now(): T;
}

export function timed<T extends { readonly time: string }>(response: T): Timed<T> {
  const read = performance.now();
  const at = Date.parse(response.time);
  return { now: () => ({ ...response, time: new Date(at + performance.now() - read).toISOString() }) };
}
