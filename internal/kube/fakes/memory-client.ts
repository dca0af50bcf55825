/**
 * An API server in memory, for tests. It behaves as a real one: the table of cases in test/contract/kubernetes runs against
 * both. It has no schemas, admission, validation or garbage collection, and refuses with a RangeError what it cannot do.
 * Requests are recorded, and a hook can fail them.
 */
import type { Deps } from '../../base/deps.ts';
import { cloneJson } from '../../base/json/clone-json.ts';
import { jsonEqual } from '../../base/json/json-equal.ts';
import { formatTimestamp } from '../../base/time/timestamp.ts';
import { applyJsonPatch, JsonPatchError } from '../apply/json-patch.ts';
import { mergePatch } from '../apply/merge-patch.ts';
import type {
  CallOptions,
  KubeClient,
  ListOptions,
  Page,
  WatchOptions,
  WriteOptions,
} from '../client/client.ts';
import { objectPath, pathFor } from '../client/resource-path.ts';
import { KubeApiError } from '../errors/errors.ts';
import { type KubeObject, keyOf, keyString, type ObjectKey } from '../object/object.ts';
import { apiVersionOf, groupResource, type ResourceType } from '../object/resource-type.ts';
import { applyFields, type FieldManager, ownedByUpdate } from './managed-fields.ts';
import {
  type AnyObject,
  createMemoryStore,
  type MemoryStore,
  type Refuse,
  type Replacement,
} from './memory-store.ts';
import { createMemoryWatches } from './memory-watches.ts';
import { selectorOf } from './selector.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'apply' | 'delete';

export interface MemoryRequest {
  readonly verb: Verb;
  readonly type: ResourceType;
  /** Absent for collections. */
  readonly key?: ObjectKey;
  readonly subresource?: 'status';
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
  /**
   * Withholds the events of later writes from all watches, while lists and gets see the writes: caches are stale. Returns the
   * function that releases them.
   */
  holdWatches(): () => void;
  /**
   * Compacts the history: open watches fail with 410, also while they are held, and no watch can begin before the current
   * version. Informers list again, and see several changes of an object as one.
   */
  expireWatches(): void;
}

export interface MemoryClientOptions extends Pick<Deps, 'clock'> {
  /** Default `memory cluster`. */
  readonly clusterName?: string;
  /** The kinds that are served; default: every kind that is asked for. */
  readonly kinds?: readonly ResourceType[];
}

/** The error of a real client for a response of the API server, for use in hooks. */
export function apiError(status: number, reason: string, message = reason): KubeApiError {
  const attempt = { verb: 'reach', object: 'the object', clusterName: 'memory cluster' };
  return new KubeApiError(attempt, {
    httpStatus: status,
    status: { message, reason, code: status, details: undefined },
  });
}

/** The field manager of requests that are no applies: the name of the real client in its user agent. */
const UPDATE_MANAGER = 'provider-kyma';
const DEFAULT_LIMIT = 500;

interface Write extends WriteOptions {
  readonly subresource?: 'status';
}

export function createMemoryClient({
  clock,
  clusterName = 'memory cluster',
  kinds,
}: MemoryClientOptions): MemoryClient {
  const stores = new Map<string, MemoryStore>();
  const hooks = new Set<(request: MemoryRequest) => void | Promise<void>>();
  const requests: MemoryRequest[] = [];
  /** The rest of lists, by the token with which they continue. */
  const pages = new Map<string, { readonly items: readonly AnyObject[]; readonly resourceVersion: string }>();
  let tokens = 0;
  // No server has the versions 0 and 1, which clients use for any version and an old one.
  let version = 1;
  const watches = createMemoryWatches({ clock }, () => version);
  const storeOf = (type: ResourceType): MemoryStore => {
    const name = groupResource(type);
    const store =
      stores.get(name) ??
      createMemoryStore({
        now: clock.now,
        nextVersion: () => ++version,
        hasStatus: hasStatus(type),
        onEvent: watches.notify,
      });
    stores.set(name, store);
    return store;
  };
  const refusing =
    (verb: Verb, type: ResourceType, key?: ObjectKey): Refuse =>
    (status, reason, message) => {
      const object = key === undefined ? groupResource(type) : `${type.kind} ${keyString(key)}`;
      const details = { ...(key ? { name: key.name } : {}), group: type.group, kind: type.plural };
      throw new KubeApiError(
        { verb, object, clusterName },
        { httpStatus: status, status: { message: `${object}: ${message}`, reason, code: status, details } },
      );
    };
  const request = async (received: MemoryRequest, { signal }: CallOptions = {}) => {
    const { verb, type, key, subresource } = received;
    signal?.throwIfAborted();
    const attempt = {
      verb,
      object: key ? `${type.kind} ${keyString(key)}` : groupResource(type),
      clusterName,
    };
    if (key !== undefined && key.name !== '') pathFor(attempt, () => objectPath(type, key));
    requests.push(structuredClone(received));
    for (const hook of hooks) await hook(received);
    signal?.throwIfAborted();
    const isServed = kinds?.some((kind) => groupResource(kind) === groupResource(type)) ?? true;
    if (!isServed) throw new KubeApiError(attempt, { httpStatus: 404 });
    if (subresource !== undefined && !hasStatus(type))
      refusing(verb, type)(404, 'NotFound', 'the server could not find the requested resource');
  };
  const out = <T extends KubeObject>(object: KubeObject): T => cloneJson(object) as T;
  const find = (verb: Verb, type: ResourceType, key: ObjectKey): AnyObject =>
    storeOf(type).get(keyString(key)) ?? refusing(verb, type, key)(404, 'NotFound', 'not found');
  const manager = (
    operation: FieldManager['operation'],
    name: string,
    { subresource }: Write,
  ): FieldManager => ({
    manager: name,
    operation,
    ...(subresource === undefined ? {} : { subresource }),
    time: formatTimestamp(clock.now()),
  });
  const put = <T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    object: AnyObject,
    verb: 'update' | 'patch' | 'apply',
    { subresource, dryRun, ...write }: Write,
    owners: Replacement['owners'] = (old, next) => {
      assertSameOwners(old, object);
      return ownedByUpdate(
        old,
        next,
        manager('Update', UPDATE_MANAGER, { ...write, ...(subresource ? { subresource } : {}) }),
      );
    },
  ): T =>
    out(
      storeOf(type).replace(keyString(key), object, {
        part: subresource ?? 'object',
        verb: verb === 'update' ? verb : 'patch',
        refuse: refusing(verb, type, key),
        dryRun,
        owners,
      }),
    );
  /** With its name, and without a namespace that its kind does not have. */
  const named = (type: ResourceType, object: KubeObject): AnyObject => {
    const copy = wire(object);
    const { namespace: _, ...metadata } = copy.metadata;
    if (!type.namespaced) copy.metadata = metadata;
    copy.metadata.name ||= `${copy.metadata.generateName ?? ''}${version.toString(36).padStart(5, '0')}`;
    return copy;
  };
  const withOwners = (object: AnyObject): AnyObject => {
    const managedFields = ownedByUpdate(undefined, object, manager('Update', UPDATE_MANAGER, {}));
    return { ...object, metadata: { ...object.metadata, managedFields } };
  };
  const list = async <T extends KubeObject>(
    type: ResourceType<T>,
    options: ListOptions,
    view: (object: KubeObject) => KubeObject,
  ): Promise<Page<T>> => {
    await request({ verb: 'list', type }, options);
    const refuse = refusing('list', type);
    const wanted = selectorOf(options, (message) => refuse(400, 'BadRequest', message));
    if (Number(options.resourceVersion ?? 0) > version)
      throw new RangeError(`the memory client has no version ${options.resourceVersion} yet`);
    const token = options.continue ?? '';
    const isExpired = /^[1-9]\d*$/.test(token) && Number(token) <= tokens;
    const { items, resourceVersion } =
      (token === ''
        ? { items: storeOf(type).list().filter(wanted), resourceVersion: String(version) }
        : pages.get(token)) ??
      (isExpired
        ? refuse(410, 'Expired', 'the continue token is too old')
        : refuse(400, 'BadRequest', 'continue key is not valid'));
    const end = (options.limit ?? DEFAULT_LIMIT) || items.length;
    const page = { items: items.slice(0, end).map((object) => out<T>(view(object))), resourceVersion };
    if (end >= items.length) return page;
    pages.set(String(++tokens), { items: items.slice(end), resourceVersion });
    return { ...page, continue: String(tokens) };
  };
  async function* watch<T extends KubeObject>(
    type: ResourceType<T>,
    options: WatchOptions,
    view: (object: KubeObject) => KubeObject,
  ) {
    await request({ verb: 'watch', type }, options);
    const refuse = refusing('watch', type);
    const wanted = selectorOf(options, (message) => refuse(400, 'BadRequest', message));
    const after = Number(options.resourceVersion ?? 0) || undefined;
    if ((after ?? 0) > version) throw new RangeError(`the memory client has no version ${after} yet`);
    options.onOpen?.();
    const { signal, timeoutSeconds } = options;
    const events = watches.follow(storeOf(type), {
      after,
      wanted,
      timeoutSeconds,
      signal,
      bookmark: (current) => ({
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        metadata: { resourceVersion: String(current) } as KubeObject['metadata'],
      }),
      expired: () => refuse(410, 'Expired', 'too old resource version'),
    });
    for await (const { type: eventType, object } of events)
      yield { type: eventType, object: out<T>(view(object)) };
  }
  return {
    clusterName,
    requests,
    seed: (type, object) => {
      const given = named(type, object);
      const owned = given.metadata.managedFields === undefined ? withOwners(given) : given;
      return out(storeOf(type).insert(keyString(keyOf(given)), owned));
    },
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
    holdWatches: watches.hold,
    expireWatches: () => {
      for (const { history } of stores.values()) history.length = 0;
      pages.clear();
      watches.expire();
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
    create: async (type, object, options = {}) => {
      await request({ verb: 'create', type, key: keyOf(object), body: object }, options);
      assertPossible(object, options);
      const given = named(type, object);
      const key = keyOf(given);
      const write = { refuse: refusing('create', type, key), dryRun: options.dryRun };
      const { status: _, ...content } = given;
      const owned = withOwners(hasStatus(type) ? (content as AnyObject) : given);
      return out(storeOf(type).create(keyString(key), owned, write));
    },
    update: async (type, object, options = {}) => {
      const key = keyOf(object);
      await request({ verb: 'update', type, key, body: object }, options);
      assertPossible(object, options);
      return put(type, key, wire(object), 'update', options);
    },
    updateStatus: async (type, object, options = {}) => {
      const key = keyOf(object);
      await request({ verb: 'update', type, key, subresource: 'status', body: object }, options);
      assertPossible(object, options);
      return put(type, key, wire(object), 'update', { ...options, subresource: 'status' });
    },
    mergePatch: async (type, key, patch, options = {}) => {
      const { subresource } = options;
      await request(
        { verb: 'patch', type, key, body: patch, ...(subresource ? { subresource } : {}) },
        options,
      );
      assertPossible({}, options);
      const merged = mergePatch(find('patch', type, key), wire(patch)) as AnyObject;
      return put(type, key, merged, 'patch', options);
    },
    jsonPatch: async (type, key, patch, options = {}) => {
      await request({ verb: 'patch', type, key, body: patch }, options);
      assertPossible({}, options);
      try {
        const patched = applyJsonPatch(find('patch', type, key), wire(patch)) as AnyObject;
        return put(type, key, patched, 'patch', options);
      } catch (error) {
        if (error instanceof JsonPatchError)
          return refusing('patch', type, key)(422, 'Invalid', error.message);
        throw error;
      }
    },
    apply: async (type, object, { fieldManager, force = false, ...options }) => {
      const { subresource, dryRun } = options;
      const key = keyOf(object);
      await request(
        { verb: 'apply', type, key, body: object, ...(subresource ? { subresource } : {}) },
        options,
      );
      assertPossible(object, options);
      assertApplicable(object, []);
      const refuse = refusing('apply', type, key);
      const live = storeOf(type).get(keyString(key));
      if (live === undefined && subresource !== undefined) refuse(404, 'NotFound', 'not found');
      const config = named(type, object);
      const by = manager('Apply', fieldManager, options);
      const { object: applied, conflicts } = applyFields(live, config, by, force);
      const { resourceVersion = live?.metadata.resourceVersion } = config.metadata;
      if (live === undefined) return out(storeOf(type).create(keyString(key), applied, { refuse, dryRun }));
      const texts = conflicts.map(({ manager: name, field }) => `conflict with "${name}": ${field}`);
      if (!force && texts.length > 0 && resourceVersion === live.metadata.resourceVersion)
        refuse(409, 'Conflict', `Apply failed with ${texts.length} conflict(s): ${texts.join(', ')}`);
      return put(type, key, applied, 'apply', options, () => applied.metadata.managedFields ?? []);
    },
    delete: async (type, key, options = {}) => {
      await request({ verb: 'delete', type, key }, options);
      storeOf(type).remove(keyString(key), options, refusing('delete', type, key));
    },
  };
}

/** As it is sent: without undefined members. */
const wire = <T extends object>(value: T | unknown): AnyObject & T => JSON.parse(JSON.stringify(value));

/** Kinds of the core group and leases have neither generations nor a status of their own that anything here writes. */
const hasStatus = ({ group }: ResourceType) => group !== '' && group !== 'coordination.k8s.io';

const metadataOf = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata,
});

function assertPossible(object: object, { fieldValidation }: WriteOptions): void {
  if (fieldValidation !== undefined) throw new RangeError('the memory client does not validate fields');
  if ('stringData' in object) throw new RangeError('the memory client does not convert stringData');
}

/** Clients may send what they read; anything else would change owners. */
function assertSameOwners({ metadata: { managedFields: owners } }: AnyObject, { metadata }: AnyObject): void {
  if (metadata.managedFields !== undefined && !jsonEqual(metadata.managedFields, owners))
    throw new RangeError('the memory client does not change managedFields by a request');
}

/** What an API server makes of null and of empty maps depends on the schema. */
function assertApplicable(value: unknown, path: readonly string[]): void {
  const isEmpty = typeof value === 'object' && (value === null || Object.keys(value).length === 0);
  if (isEmpty) throw new RangeError(`the memory client does not apply empty fields: ${path.join('.')}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) assertApplicable(member, [...path, name]);
}
