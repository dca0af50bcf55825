import type { ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';
import type { HttpJsonAnswer } from '../../../hack/control-planes/access/http-json.ts';
import { apiVersionOf, type ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';

/**
 * What users do with objects of one kind, in one namespace if it is namespaced, without a client in between that could
 * repair a request.
 */
export interface KindClient {
  /** Creates as kubectl does, whose validation is strict. */
  create(object: unknown, query?: string): Promise<HttpJsonAnswer>;
  get(name: string): Promise<HttpJsonAnswer>;
  /** JSON merge patch: null removes. */
  patch(name: string, patch: unknown): Promise<HttpJsonAnswer>;
  patchStatus(name: string, status: unknown): Promise<HttpJsonAnswer>;
  /** Server-side apply with strict validation. */
  apply(name: string, object: unknown, query?: string): Promise<HttpJsonAnswer>;
  table(name: string): Promise<HttpJsonAnswer>;
  delete(name: string): Promise<HttpJsonAnswer>;
}

export function kindClient(plane: ControlPlaneAccess, type: ResourceType, namespace?: string): KindClient {
  const within = namespace === undefined ? '' : `/namespaces/${namespace}`;
  const root = type.group === '' ? '/api' : '/apis';
  const path = `${root}/${apiVersionOf(type)}${within}/${type.plural}`;
  const mergePatch = (url: string, body: unknown) =>
    plane.request(url, { method: 'PATCH', contentType: 'application/merge-patch+json', body });
  return {
    create: (object, query = 'fieldValidation=Strict') =>
      plane.request(`${path}?${query}`, { method: 'POST', body: object }),
    get: (name) => plane.request(`${path}/${name}`),
    patch: (name, patch) => mergePatch(`${path}/${name}?fieldValidation=Strict`, patch),
    patchStatus: (name, status) => mergePatch(`${path}/${name}/status?fieldValidation=Strict`, { status }),
    apply: (name, body, query = '') =>
      plane.request(`${path}/${name}?fieldManager=tests&force=true&fieldValidation=Strict&${query}`, {
        method: 'PATCH',
        contentType: 'application/apply-patch+yaml',
        body,
      }),
    table: (name) =>
      plane.request(`${path}/${name}`, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    delete: (name) => plane.request(`${path}/${name}`, { method: 'DELETE' }),
  };
}

/** Keeps every provider on the control plane from reconciling it: these tests are about the API alone. */
export const paused = { 'crossplane.io/paused': 'true' };

/** The API server's message when it refuses an object. */
export function refusal(...messages: readonly string[]): object {
  return { status: 422, body: { reason: 'Invalid', message: containing(messages) } };
}

function containing(parts: readonly string[]): {
  asymmetricMatch(text: unknown): boolean;
  toString(): string;
} {
  return {
    asymmetricMatch: (text) => typeof text === 'string' && parts.every((part) => text.includes(part)),
    toString: () => `text with ${parts.map((part) => JSON.stringify(part)).join(' and ')}`,
  };
}
