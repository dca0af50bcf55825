import type { Deps } from '../../base/deps.ts';
import { cloneJson } from '../../base/json/clone-json.ts';
import type { CallOptions } from '../client/client.ts';
import { objectPath, pathFor } from '../client/resource-path.ts';
import { KubeApiError } from '../errors/errors.ts';
import { keyString, type ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import {
  type Admission,
  type AnyObject,
  createMemoryStore,
  type KindTraits,
  type MemoryStore,
  type Refuse,
} from './memory-store.ts';
import { createMemoryWatches, type MemoryWatches } from './memory-watches.ts';

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

/** The server behind a memory client: its objects, and what every request has in common. */
export interface MemoryCluster {
  /** Its wall clock. */
  now(): number;
  readonly requests: readonly MemoryRequest[];
  readonly watches: MemoryWatches;
  storeOf(type: ResourceType): MemoryStore;
  /** The resourceVersion of the latest write. */
  version(): number;
  /** Begins a request. @throws as the server refuses one whatever it has stored */
  receive(request: MemoryRequest, options?: CallOptions): Promise<void>;
  /** @param key absent for collections, and for what is not served */
  refusing(verb: Verb, type: ResourceType, key?: ObjectKey): Refuse;
  find(verb: Verb, type: ResourceType, key: ObjectKey): AnyObject;
  onRequest(hook: (request: MemoryRequest) => void | Promise<void>): () => void;
  expire(): void;
}

export interface MemoryClusterOptions extends Pick<Deps, 'clock'> {
  readonly clusterName: string;
  readonly kinds: readonly ResourceType[] | undefined;
  readonly admission?: ((type: ResourceType) => Admission | undefined) | undefined;
  readonly maxEvents?: number | undefined;
}

const MAX_EVENTS = 20_000;

export function createMemoryCluster(options: MemoryClusterOptions): MemoryCluster {
  const { clock, clusterName, kinds, admission, maxEvents = MAX_EVENTS } = options;
  const stores = new Map<string, MemoryStore>();
  const hooks = new Set<(request: MemoryRequest) => void | Promise<void>>();
  const requests: MemoryRequest[] = [];
  // No server has the versions 0 and 1, which clients use for any version and an old one.
  let version = 1;
  const watches = createMemoryWatches({ clock }, () => version);
  const attemptOf = (verb: Verb, type: ResourceType, key: ObjectKey | undefined) => {
    const object = key === undefined ? groupResource(type) : `${type.kind} ${keyString(key)}`;
    return { verb, object, clusterName };
  };
  // A server has a clock of its own: it does not jump with that of the process.
  const zero = clock.now() - clock.monotonic();
  const now = () => zero + clock.monotonic();
  const cluster: MemoryCluster = {
    now,
    requests,
    watches,
    version: () => version,
    storeOf: (type) => {
      const name = groupResource(type);
      const known = stores.get(name);
      if (known !== undefined) return known;
      const store = createMemoryStore({
        now,
        nextVersion: () => ++version,
        kind: traitsOf(type),
        admission: admission?.(type),
        maxEvents,
        onEvent: watches.notify,
      });
      stores.set(name, store);
      return store;
    },
    refusing: (verb, type, key) => (status, reason, message) => {
      const attempt = attemptOf(verb, type, key);
      const details = { ...(key ? { name: key.name } : {}), group: type.group, kind: type.plural };
      const text = `${attempt.object}: ${message}`;
      throw new KubeApiError(attempt, {
        httpStatus: status,
        status: { message: text, reason, code: status, details },
      });
    },
    receive: async (received, { signal } = {}) => {
      const { verb, type, key, subresource } = received;
      signal?.throwIfAborted();
      const attempt = attemptOf(verb, type, key);
      // A new object may have no name yet.
      if (key?.name) pathFor(attempt, () => objectPath(type, key));
      requests.push({ ...received, body: cloneJson(received.body) });
      for (const hook of hooks) await hook(received);
      signal?.throwIfAborted();
      const isServed = kinds?.some((kind) => groupResource(kind) === groupResource(type)) ?? true;
      if (!isServed) throw new KubeApiError(attempt, { httpStatus: 404 });
      if (subresource === 'status' && !traitsOf(type).hasStatus)
        cluster.refusing(verb, type)(404, 'NotFound', 'the server could not find the requested resource');
    },
    find: (verb, type, key) =>
      cluster.storeOf(type).get(keyString(key)) ??
      cluster.refusing(verb, type, key)(404, 'NotFound', 'not found'),
    onRequest: (hook) => {
      hooks.add(hook);
      return () => {
        hooks.delete(hook);
      };
    },
    expire: () => {
      for (const { history } of stores.values()) history.length = 0;
      watches.expire();
    },
  };
  return cluster;
}

/** Kinds of the core group and leases have neither generations nor a status of their own that anything here writes. */
export function traitsOf({ group, plural }: ResourceType): KindTraits {
  const isLease = group === 'coordination.k8s.io';
  const isCore = group === '';
  return {
    hasStatus: !isCore && !isLease,
    isCore,
    createdByUpdate: isLease || (isCore && plural === 'events'),
  };
}
