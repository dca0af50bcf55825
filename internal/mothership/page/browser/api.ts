import type { components } from '../../../../apis/reconciler/external.openapi.gen.ts';

export type Schemas = components['schemas'];

/** The session has ended, or the user may not do it. */
export class AccessError extends Error {}

/** Calls the API of the server that the page comes from. @throws AccessError, Error with the message of the server */
async function call<T>(method: 'GET' | 'POST', path: string): Promise<T> {
  const response = await fetch(`/v1${path}`, { method, headers: { accept: 'application/json' } });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.ok) return body as T;
  const message = (body as Partial<Schemas['Error']> | undefined)?.error ?? `status ${response.status}`;
  throw response.status === 401 || response.status === 403 ? new AccessError(message) : new Error(message);
}

export interface ClusterQuery {
  readonly prefix: string;
  readonly status: string;
  readonly after: string;
}

/** Clusters of a page. */
const PAGE_SIZE = 100;

const id = encodeURIComponent;

export const api = {
  overview: () => call<Schemas['Overview']>('GET', '/overview'),
  clusters: ({ prefix, status, after }: ClusterQuery) => {
    const query = new URLSearchParams({ limit: `${PAGE_SIZE}` });
    for (const [name, value] of Object.entries({ prefix, status, continue: after })) {
      if (value !== '') query.set(name, value);
    }
    return call<Schemas['ClusterList']>('GET', `/clusters?${query}`);
  },
  statusChanges: (runtimeId: string) =>
    call<Schemas['StatusChanges']>('GET', `/clusters/${id(runtimeId)}/statusChanges`),
  runs: (runtimeId: string) =>
    call<Schemas['Reconciliation'][]>('GET', `/reconciliations?last=5&runtimeID=${id(runtimeId)}`),
  run: (schedulingId: string) =>
    call<Schemas['ReconciliationInfo']>('GET', `/reconciliations/${id(schedulingId)}/info`),
  resume: (rolloutId: string) => call<Schemas['Rollout']>('POST', `/rollouts/${id(rolloutId)}/resume`),
};
