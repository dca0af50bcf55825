import { channel } from 'node:diagnostics_channel';
import type { Deps } from '../../base/deps.ts';
import { cloneJson } from '../../base/json/json-value.ts';
import type { ApplyOptions, CallOptions, DeleteOptions, WriteOptions } from '../client/client.ts';
import { objectPath, pathFor } from '../client/resource-path.ts';
import { KubeApiError } from '../errors/errors.ts';
import { keyOf, keyString, type ObjectKey } from '../object/object.ts';
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

/** What clients give with a request. */
type SentOptions = CallOptions & WriteOptions & DeleteOptions & Partial<Pick<ApplyOptions, 'fieldManager'>>;

/** A writing request, as published before it is stored: the program that is tested sent it, or its test. */
export interface ObservedWrite extends MemoryRequest {
  readonly key: ObjectKey;
  readonly clusterName: string;
  /** As given to the client: preconditions, field manager, dry run. */
  readonly options: SentOptions;
  /** What is stored; undefined: nothing. It is not changed. */
  readonly live: AnyObject | undefined;
  /** Whether the object is one that a subscriber of `storedObjects` placed. */
  readonly isPlaced: boolean;
}

/** An object that came into a store, by a request or a seed. */
export interface StoredObject {
  readonly clusterName: string;
  readonly type: ResourceType;
  readonly object: AnyObject;
  /** Stores another object beside it, which no fake shows to tests. Nothing is replaced. */
  place(object: AnyObject): void;
}

/** Channels of `node:diagnostics_channel` on which all memory clusters of a process publish. */
export const observedWrites = channel('provider-kyma.memory-cluster.write');
export const storedObjects = channel('provider-kyma.memory-cluster.stored');

/** The server behind a memory client: its objects, and what every request has in common. */
export interface MemoryCluster {
  /** Its wall clock. */
  now(): number;
  readonly requests: readonly MemoryRequest[];
  readonly watches: MemoryWatches;
  storeOf(type: ResourceType): MemoryStore;
  /** Those that were asked for. */
  types(): readonly ResourceType[];
  /** The resourceVersion of the latest write. */
  version(): number;
  /** Begins a request. @throws as the server refuses one whatever it has stored */
  receive(request: MemoryRequest, options?: SentOptions): Promise<void>;
  /** Whether a subscriber of `storedObjects` placed the object. */
  isPlaced(type: ResourceType, key: string): boolean;
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
  const types: ResourceType[] = [];
  const hooks = new Set<(request: MemoryRequest) => void | Promise<void>>();
  const requests: MemoryRequest[] = [];
  const placed = new Set<string>();
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
    types: () => types,
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
        onAdded: (key, object) => {
          if (!storedObjects.hasSubscribers || placed.has(`${name} ${key}`)) return;
          const place = (other: AnyObject) => {
            const at = keyString(keyOf(other));
            if (store.get(at) !== undefined) return;
            placed.add(`${name} ${at}`);
            store.insert(at, other);
          };
          storedObjects.publish({ clusterName, type, object, place } satisfies StoredObject);
        },
      });
      stores.set(name, store);
      types.push(type);
      return store;
    },
    refusing: (verb, type, key) => (status, reason, message) => {
      const attempt = attemptOf(verb, type, key);
      const field = status === 422 ? /^([\w.]+): /.exec(message)?.[1] : undefined;
      const details = {
        ...{ ...(key ? { name: key.name } : {}), group: type.group, kind: type.plural },
        ...(field === undefined ? {} : { causes: [{ reason: 'FieldValueInvalid', field }] }),
      };
      const text = `${attempt.object}: ${message}`;
      throw new KubeApiError(attempt, {
        httpStatus: status,
        status: { message: text, reason, code: status, details },
      });
    },
    receive: async (received, options = {}) => {
      const { signal } = options;
      const { verb, type, key, subresource } = received;
      signal?.throwIfAborted();
      const attempt = attemptOf(verb, type, key);
      if (observedWrites.hasSubscribers && key !== undefined && verb !== 'get')
        observedWrites.publish({
          ...received,
          key,
          clusterName,
          options,
          live: cluster.storeOf(type).get(keyString(key)),
          isPlaced: cluster.isPlaced(type, keyString(key)),
        } satisfies ObservedWrite);
      // A new object may have no name yet.
      if (key?.name) pathFor(attempt, () => objectPath(type, key));
      const isOfTest = key === undefined || !cluster.isPlaced(type, keyString(key));
      if (isOfTest) requests.push({ ...received, body: cloneJson(received.body) });
      for (const hook of hooks) await hook(received);
      signal?.throwIfAborted();
      const isAsked = (kind: ResourceType) =>
        type.plural === '' ? kind.group === type.group : groupResource(kind) === groupResource(type);
      const isServed = kinds?.some(isAsked) ?? true;
      if (!isServed) throw new KubeApiError(attempt, { httpStatus: 404 });
      if (subresource === 'status' && !traitsOf(type).hasStatus)
        cluster.refusing(verb, type)(404, 'NotFound', 'the server could not find the requested resource');
    },
    isPlaced: (type, key) => placed.has(`${groupResource(type)} ${key}`),
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
