/**
 * An API server in memory, for tests: conflicts, generations, finalizers, the status subresource and watches behave
 * as in a real one. Requests are recorded, and a hook can fail them. Server-side apply merges without field ownership; there
 * is no admission, validation or garbage collection.
 */
import type { Deps } from '../../base/deps.ts';
import { applyJsonPatch, JsonPatchError, type JsonPatchOperation } from '../apply/json-patch.ts';
import { mergePatch } from '../apply/merge-patch.ts';
import type {
  CallOptions,
  KubeClient,
  ListOptions,
  Page,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from '../client/client.ts';
import { KubeApiError } from '../errors/errors.ts';
import { type KubeObject, keyOf, keyString, type ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import {
  type AnyObject,
  createMemoryStore,
  type MemoryStore,
  type Refuse,
  type StoredEvent,
} from './memory-store.ts';
import { selects } from './selector.ts';

export type Verb = 'discover' | 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete';

export interface MemoryRequest {
  readonly verb: Verb;
  readonly type: ResourceType;
  /** Absent for collections. */
  readonly key?: ObjectKey;
  readonly subresource?: string;
  /** A copy of what was sent. */
  readonly body?: unknown;
}

export interface MemoryClient extends KubeClient {
  /** Every request so far, refused ones included. */
  readonly requests: readonly MemoryRequest[];
  /** Stores an object without a request; missing metadata is set as by a server. */
  seed<T extends KubeObject>(type: ResourceType<T>, object: T): T;
  /** A copy of the stored object, without a request. */
  peek<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** Called before each request; an error that it throws is the response. Returns the function that removes it. */
  onRequest(hook: (request: MemoryRequest) => void | Promise<void>): () => void;
  /** Answers `createSubresource`, for objects that exist; without it there is no such subresource. */
  onSubresource(
    type: ResourceType,
    subresource: string,
    answer: (key: ObjectKey, body: unknown) => KubeObject | Promise<KubeObject>,
  ): void;
}

export interface MemoryClientOptions extends Pick<Deps, 'clock'> {
  /** Default `memory cluster`. */
  readonly clusterName?: string;
}

/** The error of a real client for a response of the API server, for use in hooks. */
export function apiError(status: number, reason: string, message = reason): KubeApiError {
  const attempt = { verb: 'reach', object: 'the object', clusterName: 'memory cluster' };
  return new KubeApiError(attempt, {
    httpStatus: status,
    status: { message, reason, code: status, details: undefined },
  });
}

export function createMemoryClient({
  clock,
  clusterName = 'memory cluster',
}: MemoryClientOptions): MemoryClient {
  const stores = new Map<string, MemoryStore>();
  const hooks = new Set<(request: MemoryRequest) => void | Promise<void>>();
  const requests: MemoryRequest[] = [];
  const subresources = new Map<string, Parameters<MemoryClient['onSubresource']>[2]>();
  let version = 0;
  const storeOf = (type: ResourceType): MemoryStore => {
    const name = groupResource(type);
    const store =
      stores.get(name) ??
      createMemoryStore({ now: clock.now, nextVersion: () => ++version, hasStatus: type.group !== '' });
    stores.set(name, store);
    return store;
  };
  const refusing =
    (verb: Verb, type: ResourceType, key: ObjectKey): Refuse =>
    (status, reason, message) => {
      const object = `${type.kind} ${keyString(key)}`;
      const details = { name: key.name, group: type.group, kind: type.plural };
      throw new KubeApiError(
        { verb, object, clusterName },
        { httpStatus: status, status: { message: `${object}: ${message}`, reason, code: status, details } },
      );
    };
  const request = async (received: MemoryRequest, { signal }: CallOptions = {}) => {
    signal?.throwIfAborted();
    requests.push(structuredClone(received));
    for (const hook of hooks) await hook(received);
    signal?.throwIfAborted();
  };
  const out = <T extends KubeObject>(object: KubeObject): T => structuredClone(object) as T;
  const metadataOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
    apiVersion,
    kind,
    metadata,
  });
  const find = (verb: Verb, type: ResourceType, key: ObjectKey): AnyObject =>
    storeOf(type).get(keyString(key)) ?? refusing(verb, type, key)(404, 'NotFound', 'not found');
  const put = <T extends KubeObject>(
    verb: Verb,
    type: ResourceType<T>,
    object: T,
    part: 'status' | 'object',
  ): T => {
    const key = keyOf(object);
    return out(storeOf(type).replace(keyString(key), out(object), part, refusing(verb, type, key)));
  };
  const insert = <T extends KubeObject>(type: ResourceType<T>, object: T): T => {
    const copy = out<AnyObject>(object);
    copy.metadata.name ??= `${copy.metadata.generateName ?? ''}${version}`;
    return out(storeOf(type).insert(keyString(keyOf(copy)), copy));
  };
  const list = async <T extends KubeObject>(
    type: ResourceType<T>,
    options: ListOptions,
    view: (object: KubeObject) => KubeObject,
  ): Promise<Page<T>> => {
    await request({ verb: 'list', type }, options);
    const all = storeOf(type)
      .list()
      .filter((object) => selects(options, object));
    const from = Number(options.continue ?? 0);
    const end = from + (options.limit ?? 500);
    const page = {
      items: all.slice(from, end).map((object) => out<T>(view(object))),
      resourceVersion: String(version),
    };
    return end < all.length ? { ...page, continue: String(end) } : page;
  };
  async function* watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    view: (object: KubeObject) => KubeObject,
  ): AsyncGenerator<WatchEvent<T>> {
    await request({ verb: 'watch', type }, options);
    options.onOpen?.();
    const store = storeOf(type);
    const wanted = (object: KubeObject) => selects(options, object);
    let next = store.history.length;
    if (options.resourceVersion === undefined) {
      for (const object of store.list().filter(wanted)) yield { type: 'ADDED', object: out<T>(view(object)) };
    } else {
      const after = Number(options.resourceVersion);
      const first = store.history.findIndex((event) => event.version > after);
      if (first >= 0) next = first;
    }
    while (!options.signal?.aborted) {
      const event = store.history[next];
      if (event === undefined) await changed(store, options.signal);
      else {
        next++;
        const type = typeFor(event, wanted);
        if (type !== undefined) yield { type, object: out<T>(view(event.object)) };
      }
    }
  }
  return {
    clusterName,
    requests,
    seed: insert,
    peek: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => {
      const found = storeOf(type).get(keyString(key));
      return found === undefined ? undefined : out<T>(found);
    },
    onRequest: (hook) => {
      hooks.add(hook);
      return () => {
        hooks.delete(hook);
      };
    },
    get: async (type, key, options) => {
      await request({ verb: 'get', type, key }, options);
      return out(find('get', type, key));
    },
    getMetadata: async (type, key, options) => {
      await request({ verb: 'get', type, key }, options);
      return out(metadataOf(find('get', type, key)));
    },
    list: (type, options = {}) => list(type, options, (object) => object),
    listMetadata: (type, options = {}) => list(type, options, metadataOf),
    watch: (type, options = {}) => watch(type, options, (object) => object),
    watchMetadata: (type, options = {}) => watch(type, options, metadataOf),
    create: async (type, object, options) => {
      await request({ verb: 'create', type, key: keyOf(object), body: object }, options);
      if (storeOf(type).get(keyString(keyOf(object)))) {
        refusing('create', type, keyOf(object))(409, 'AlreadyExists', 'already exists');
      }
      return options?.dryRun ? out(object) : insert(type, object);
    },
    onSubresource: (type, subresource, answer) => {
      subresources.set(`${groupResource(type)}/${subresource}`, answer);
    },
    createSubresource: async <A extends KubeObject>(
      type: ResourceType,
      key: ObjectKey,
      subresource: string,
      body: object,
      options?: CallOptions,
    ) => {
      await request({ verb: 'create', type, key, subresource, body }, options);
      const answer = subresources.get(`${groupResource(type)}/${subresource}`);
      if (answer === undefined)
        return refusing('create', type, key)(404, 'NotFound', `has no subresource ${subresource}`);
      find('create', type, key);
      return out<A>(await answer(key, structuredClone(body)));
    },
    update: async (type, object, options) => {
      await request({ verb: 'update', type, key: keyOf(object), body: object }, options);
      return put('update', type, object, 'object');
    },
    updateStatus: async (type, object, options) => {
      await request(
        { verb: 'update', type, key: keyOf(object), subresource: 'status', body: object },
        options,
      );
      return put('update', type, object, 'status');
    },
    mergePatch: async <T extends KubeObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      patch: unknown,
      options: CallOptions & { subresource?: 'status' } = {},
    ) => {
      const { subresource } = options;
      await request(
        { verb: 'patch', type, key, body: patch, ...(subresource ? { subresource } : {}) },
        options,
      );
      const merged = mergePatch(find('patch', type, key), patch) as T;
      return put('patch', type, merged, subresource ?? 'object');
    },
    jsonPatch: async <T extends KubeObject>(
      type: ResourceType<T>,
      key: ObjectKey,
      patch: readonly JsonPatchOperation[],
      options?: WriteOptions,
    ) => {
      await request({ verb: 'patch', type, key, body: patch }, options);
      const refuse = refusing('patch', type, key);
      try {
        return put('patch', type, applyJsonPatch(find('patch', type, key), patch) as T, 'object');
      } catch (error) {
        if (error instanceof JsonPatchError) return refuse(422, 'Invalid', error.message);
        throw error;
      }
    },
    apply: async (type, object, options) => {
      const { subresource } = options;
      const key = keyOf(object);
      await request(
        { verb: 'apply', type, key, body: object, ...(subresource ? { subresource } : {}) },
        options,
      );
      const found = storeOf(type).get(keyString(key));
      if (found === undefined) return insert(type, object);
      return put('apply', type, mergePatch(found, object) as typeof object, subresource ?? 'object');
    },
    delete: async (type, key, options = {}) => {
      await request({ verb: 'delete', type, key }, options);
      storeOf(type).remove(keyString(key), options, refusing('delete', type, key));
    },
    // All types are served.
    discover: async (type, options) => {
      await request({ verb: 'discover', type }, options);
      return [type.plural];
    },
  };
}

/** Resolves after the next event, or when the signal is aborted. */
/** As a watch with a selection reports the event: an object that no longer matches is deleted. Undefined: not at all. */
function typeFor(
  { type, object, old }: StoredEvent,
  wanted: (object: KubeObject) => boolean,
): StoredEvent['type'] | undefined {
  const was = old !== undefined && wanted(old);
  if (type === 'DELETED' || !wanted(object)) return was ? 'DELETED' : undefined;
  return was ? 'MODIFIED' : 'ADDED';
}

function changed(store: MemoryStore, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      unsubscribe();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const unsubscribe = store.subscribe(end);
    signal?.addEventListener('abort', end, { once: true });
  });
}
