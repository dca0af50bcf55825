import { ReadOnlyError } from '../../../base/concurrency/fence.ts';
import { cloneJson } from '../../../base/json/json-value.ts';
import { applyJsonPatch, mergePatch } from '../../../kube/apply/patches.ts';
import type { CallOptions, KubeClient } from '../../../kube/client/client.ts';
import { objectPath } from '../../../kube/client/resource-path.ts';
import { KubeApiError } from '../../../kube/errors/errors.ts';
import { type KubeObject, keyOf, keyString, type ObjectKey } from '../../../kube/object/object.ts';
import { groupResource, type ResourceType } from '../../../kube/object/resource-type.ts';

/** A write that was recorded and not sent. */
export interface DryRunWrite {
  /** As RBAC rules write it. */
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

/**
 * A client that sends no writes: it records them, and later reads of single objects return their result. Lists,
 * watches and metadata come from the API server unchanged. Admission is not simulated: use a server-side dry run
 * before.
 */
export interface OverlayClient extends KubeClient {
  /** In order. */
  readonly writes: readonly DryRunWrite[];
  /** Replaces an object of the API server, without recording a write. */
  seed(type: ResourceType, object: KubeObject): void;
  /** A copy of the object in this client. */
  peek<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
}

export function createOverlayClient(client: KubeClient): OverlayClient {
  /** Undefined: deleted. */
  const overlay = new Map<string, KubeObject | undefined>();
  const writes: DryRunWrite[] = [];
  const idOf = (type: ResourceType, key: ObjectKey) => `${groupResource(type)} ${keyString(key)}`;
  const out = <T extends KubeObject>(object: KubeObject) => cloneJson(object) as T;
  const read = async <T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    call?: CallOptions,
  ): Promise<T> => {
    const id = idOf(type, key);
    const own = overlay.get(id);
    if (own !== undefined) return out<T>(own);
    if (overlay.has(id)) throw deletedError(client, type, key);
    return client.get(type, key, call);
  };
  const put = <T extends KubeObject>(
    verb: DryRunWrite['verb'],
    type: ResourceType<T>,
    key: ObjectKey,
    object: KubeObject,
  ): T => {
    writes.push({ verb, type, key });
    overlay.set(idOf(type, key), cloneJson(object));
    return out<T>(object);
  };
  const withStatusOf = (object: KubeObject, status: unknown): KubeObject => {
    const { status: _, ...rest } = object as KubeObject & { status?: unknown };
    return { ...rest, ...(status === undefined ? {} : { status }) };
  };
  const statusOf = (object: KubeObject | undefined) =>
    (object as (KubeObject & { status?: unknown }) | undefined)?.status;
  return {
    ...client,
    writes,
    seed: (type, object) => void overlay.set(idOf(type, keyOf(object)), cloneJson(object)),
    peek: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => {
      const own = overlay.get(idOf(type, key));
      return own === undefined ? undefined : out<T>(own);
    },
    get: read,
    create: async (type, object) => put('create', type, keyOf(object), object),
    // Its answer cannot be known, and may be a credential.
    createSubresource: async (type, key, subresource) => {
      throw new ReadOnlyError('POST', objectPath(type, key, subresource));
    },
    // A PUT of the main resource keeps the status, and a PUT of the status keeps the rest.
    update: async (type, object) => {
      const own = overlay.get(idOf(type, keyOf(object)));
      return put(
        'update',
        type,
        keyOf(object),
        own === undefined ? object : withStatusOf(object, statusOf(own)),
      );
    },
    updateStatus: async (type, object, write) => {
      const base = await read(type, keyOf(object), write);
      return put('update', type, keyOf(object), withStatusOf(base, statusOf(object)));
    },
    mergePatch: async (type, key, patch, write) => {
      const base = await read(type, key, write);
      return put('patch', type, key, mergePatch(base, patch) as KubeObject);
    },
    jsonPatch: async (type, key, patch, write) => {
      const base = await read(type, key, write);
      return put('patch', type, key, applyJsonPatch(base, patch) as KubeObject);
    },
    apply: async (type, object, write) => {
      const base = await read(type, keyOf(object), write);
      return put('patch', type, keyOf(object), mergePatch(base, object) as KubeObject);
    },
    delete: async (type, key) => {
      writes.push({ verb: 'delete', type, key });
      overlay.set(idOf(type, key), undefined);
    },
  };
}

function deletedError({ clusterName }: KubeClient, type: ResourceType, key: ObjectKey): KubeApiError {
  const object = `${type.kind} ${keyString(key)}`;
  const message = `${object} would be gone by then`;
  return new KubeApiError(
    { verb: 'get', object, clusterName },
    {
      httpStatus: 404,
      status: { code: 404, reason: 'NotFound', message, details: { name: key.name, kind: type.plural } },
    },
  );
}
