import type { ControlPlaneAccess } from '../../hack/control-planes/access/access.ts';
import type { KubeObject, ObjectKey } from '../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../internal/framework/kube/object/resource-type.ts';

/** Of a list, by labels, or by fields such as `involvedObject.name=a` of events. */
type Selector = Readonly<Partial<Record<'labelSelector' | 'fieldSelector', string>>>;

/** Objects of one control plane with an admin's credentials, as kubectl sees them; not the client under test. */
export interface Objects {
  /** Creates or changes; as field manager `test`. */
  apply<T extends KubeObject>(type: ResourceType, object: T): Promise<T>;
  applyStatus<T extends KubeObject>(type: ResourceType, object: T): Promise<T>;
  /** Undefined where it does not exist. */
  find<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): Promise<T | undefined>;
  /** Throws where it does not exist. */
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): Promise<T>;
  list<T extends KubeObject>(type: ResourceType<T>, namespace?: string, selector?: Selector): Promise<T[]>;
  /** JSON merge patch. */
  patch<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, patch: unknown): Promise<T>;
  delete(type: ResourceType, key: ObjectKey, propagation?: 'Background' | 'Foreground'): Promise<void>;
  /** All of the type in the namespace; nothing if the type is not installed. */
  deleteAll(type: ResourceType, namespace: string): Promise<void>;
}

export function objectsOf({ request, name: plane }: Pick<ControlPlaneAccess, 'request' | 'name'>): Objects {
  const send = async <T>(path: string, options: Parameters<typeof request>[1] = {}): Promise<T> => {
    const { status, body } = await request(path, options);
    if (status >= 300)
      throw new Error(`${plane}: ${options.method ?? 'GET'} ${path}: ${status} ${JSON.stringify(body)}`);
    return body as T;
  };
  const contentType = 'application/apply-patch+yaml';
  const applied = '?fieldManager=test&force=true';
  return {
    apply: (type, object) =>
      send(`${pathOf(type, object.metadata)}${applied}`, { method: 'PATCH', body: object, contentType }),
    applyStatus: (type, object) =>
      send(`${pathOf(type, object.metadata)}/status${applied}`, {
        method: 'PATCH',
        body: object,
        contentType,
      }),
    find: async <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => {
      const { status, body } = await request(pathOf(type, key));
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`${plane}: GET ${pathOf(type, key)}: ${status}`);
      return body as T;
    },
    get: (type, key) => send(pathOf(type, key)),
    list: async <T extends KubeObject>(
      type: ResourceType<T>,
      namespace?: string,
      selector: Selector = {},
    ) => {
      const query = new URLSearchParams(selector);
      const { items } = await send<{ items: T[] }>(`${collectionOf(type, namespace)}?${query}`);
      return items;
    },
    patch: (type, key, body) =>
      send(pathOf(type, key), { method: 'PATCH', body, contentType: 'application/merge-patch+json' }),
    delete: async (type, key, propagation = 'Background') => {
      await send(`${pathOf(type, key)}?propagationPolicy=${propagation}`, { method: 'DELETE' });
    },
    deleteAll: async (type, namespace) => {
      const path = collectionOf(type, namespace);
      const { status } = await request(path, { method: 'DELETE' });
      if (status !== 200 && status !== 404) throw new Error(`${plane}: DELETE ${path}: ${status}`);
    },
  };
}

function collectionOf({ group, version, plural }: ResourceType, namespace?: string): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespace === undefined ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
}

const pathOf = (type: ResourceType, { name, namespace }: ObjectKey): string =>
  `${collectionOf(type, type.namespaced ? namespace : undefined)}/${name}`;
