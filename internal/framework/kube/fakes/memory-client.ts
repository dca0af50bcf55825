/**
 * An API server in memory, for tests. It behaves as a real one: the table of cases in test/contract/kubernetes runs against
 * both. It has no schemas, admission, validation or garbage collection, and refuses with a RangeError what it cannot do.
 * Requests are recorded, and a hook can fail them.
 */
import type { Deps } from '../../base/deps.ts';
import { cloneJson, jsonEqual } from '../../base/json/json-value.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import { UPDATE_MANAGER } from '../apply/owned-fields.ts';
import { applyJsonPatch, JsonPatchError, mergePatch } from '../apply/patches.ts';
import type { CallOptions, GroupVersion, KubeClient, WriteOptions } from '../client/client.ts';
import { KubeApiError, type StatusDetails } from '../errors/errors.ts';
import { type KubeObject, keyOf, keyString, type ObjectKey } from '../object/object.ts';
import { groupResource, type ResourceType } from '../object/resource-type.ts';
import { applyFields, type FieldManager, type FieldStructure, ownedByUpdate } from './managed-fields.ts';
import { createMemoryCluster, type MemoryCluster, type MemoryRequest, traitsOf } from './memory-cluster.ts';
import { memoryReads } from './memory-reads.ts';
import type { Admission, AnyObject, Refuse, Replacement } from './memory-store.ts';

export type { MemoryRequest, Verb } from './memory-cluster.ts';

export interface MemoryClient extends KubeClient {
  /** Every request so far, refused ones included. */
  readonly requests: readonly MemoryRequest[];
  /** Stores an object without a request; missing metadata is set as by a server. */
  seed<T extends KubeObject>(type: ResourceType<T>, object: T): T;
  /** A copy of the stored object, without a request. */
  peek<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey): T | undefined;
  /** Copies of the stored objects, in the order of their names, without a request. */
  peekAll<T extends KubeObject>(type: ResourceType<T>): T[];
  /** A client of another program on the same server: its requests are neither recorded nor seen by hooks. */
  otherProgram(): KubeClient;
  /** Called before each request; an error that it throws is the response. Returns the function that removes it. */
  onRequest(hook: (request: MemoryRequest) => void | Promise<void>): () => void;
  /** Answers `createSubresource`, for objects that exist; without it there is no such subresource. */
  onSubresource(
    type: ResourceType,
    subresource: string,
    answer: (key: ObjectKey, body: unknown, refuse: Refuse) => object | Promise<object>,
  ): void;
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
  /** How fields of a kind are owned; default: what most kinds declare. */
  readonly structure?: (type: ResourceType) => FieldStructure | undefined;
  /** What is done to objects of a kind when they are written; default: nothing. */
  readonly admission?: (type: ResourceType) => Admission | undefined;
  /** Events of a kind that are kept for watches; a watch that is further behind fails with 410. Default 20,000. */
  readonly maxEvents?: number;
}

/** The error of a real client for a response of the API server, for use in hooks. */
export function apiError(
  status: number,
  reason: string,
  message = reason,
  details?: StatusDetails,
): KubeApiError {
  const attempt = { verb: 'reach', object: 'the object', clusterName: 'memory cluster' };
  return new KubeApiError(attempt, {
    httpStatus: status,
    status: { message, reason, code: status, details },
  });
}

interface Write extends WriteOptions {
  readonly subresource?: 'status';
}

export function createMemoryClient(options: MemoryClientOptions): MemoryClient {
  const { clock, clusterName = 'memory cluster', kinds, admission, maxEvents } = options;
  const cluster = createMemoryCluster({ clock, clusterName, kinds, admission, maxEvents });
  const subresources: Subresources = new Map();
  const others = { ...cluster, receive: async () => undefined };
  return {
    ...clientOn(cluster, { ...options, clusterName, subresources }),
    otherProgram: () => clientOn(others, { ...options, clusterName, subresources }),
  };
}

type Subresources = Map<string, Parameters<MemoryClient['onSubresource']>[2]>;

interface ClientParts extends MemoryClientOptions {
  readonly clusterName: string;
  readonly subresources: Subresources;
}

function clientOn(cluster: MemoryCluster, parts: ClientParts): Omit<MemoryClient, 'otherProgram'> {
  const { clusterName, subresources, structure = () => undefined, admission = () => undefined } = parts;
  const { receive, refusing, storeOf, find } = cluster;
  const out = <T extends KubeObject>(object: KubeObject): T => cloneJson(object) as T;
  const manager = (
    operation: FieldManager['operation'],
    name: string,
    { subresource }: Write,
  ): FieldManager => ({
    manager: name,
    operation,
    ...(subresource === undefined ? {} : { subresource }),
    time: formatTimestamp(cluster.now()),
  });
  const put = <T extends KubeObject>(
    verb: 'update' | 'patch' | 'apply',
    type: ResourceType<T>,
    key: ObjectKey,
    object: AnyObject,
    write: Write,
    owners: Replacement['owners'] = (old, next) => {
      assertSameOwners(old, object);
      return ownedByUpdate(old, next, manager('Update', UPDATE_MANAGER, write), structure(type));
    },
  ): T => {
    const { subresource: part = 'object' as const, dryRun } = write;
    const refuse = refusing(verb, type, key);
    const replacement = { part, isPatch: verb !== 'update', refuse, dryRun, owners } as const;
    return out(storeOf(type).replace(keyString(key), object, replacement));
  };
  const update = async <T extends KubeObject>(type: ResourceType<T>, body: T, write: Write): Promise<T> => {
    const key = keyFor(type, body);
    await receive({ verb: 'update', type, key, ...subresourceOf(write), body }, write);
    assertPossible(body, write);
    return put('update', type, key, wire(type, body), write);
  };
  const patched = async <T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    body: unknown,
    write: Write,
    patch: (found: AnyObject) => unknown,
  ): Promise<T> => {
    await receive({ verb: 'patch', type, key, ...subresourceOf(write), body }, write);
    assertPossible({}, write);
    try {
      return put('patch', type, key, wire(type, patch(find('patch', type, key)) as AnyObject), write);
    } catch (error) {
      if (!(error instanceof JsonPatchError)) throw error;
      return refusing('patch', type, key)(422, 'Invalid', error.message);
    }
  };
  const named = (type: ResourceType, object: KubeObject): AnyObject => {
    const copy = wire(type, object);
    const suffix = cluster.version().toString(36).padStart(5, '0');
    copy.metadata.name ||= `${copy.metadata.generateName ?? ''}${suffix}`;
    return copy;
  };
  const withOwners = (type: ResourceType, given: AnyObject): AnyObject => {
    const object = admission(type)?.defaulted?.(given) ?? given;
    const by = manager('Update', UPDATE_MANAGER, {});
    const managedFields = ownedByUpdate(undefined, object, by, structure(type));
    return { ...object, metadata: { ...object.metadata, managedFields } };
  };
  return {
    clusterName,
    now: cluster.now,
    requests: cluster.requests,
    ...memoryReads(cluster),
    seed: (type, object) => {
      const given = named(type, object);
      const owned = given.metadata.managedFields === undefined ? withOwners(type, given) : given;
      return out(storeOf(type).insert(keyString(keyOf(given)), owned));
    },
    peek: <T extends KubeObject>(type: ResourceType<T>, key: ObjectKey) => {
      const found = storeOf(type).get(keyString(key));
      return found === undefined ? undefined : out<T>(found);
    },
    peekAll: <T extends KubeObject>(type: ResourceType<T>) =>
      storeOf(type)
        .list()
        .filter((object) => !cluster.isPlaced(type, keyString(keyOf(object))))
        .map((object) => out<T>(object)),
    onRequest: cluster.onRequest,
    holdWatches: cluster.watches.hold,
    expireWatches: cluster.expire,
    create: async (type, object, options = {}) => {
      await receive({ verb: 'create', type, key: keyFor(type, object), body: object }, options);
      assertPossible(object, options);
      const { status, ...content } = named(type, object);
      const given = (
        traitsOf(type).hasStatus || status === undefined ? content : { ...content, status }
      ) as AnyObject;
      const key = keyOf(given);
      const write = { refuse: refusing('create', type, key), dryRun: options.dryRun };
      return out(storeOf(type).create(keyString(key), withOwners(type, given), write));
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
      await receive({ verb: 'create', type, key, subresource, body }, options);
      const answer = subresources.get(`${groupResource(type)}/${subresource}`);
      if (answer === undefined)
        return refusing('create', type, key)(404, 'NotFound', `has no subresource ${subresource}`);
      find('create', type, key);
      return out<A>((await answer(key, cloneJson(body), refusing('create', type, key))) as KubeObject);
    },
    update: (type, object, options = {}) => update(type, object, options),
    updateStatus: (type, object, options = {}) => update(type, object, { ...options, subresource: 'status' }),
    mergePatch: (type, key, patch, options = {}) =>
      patched(type, key, patch, options, (found) => mergePatch(found, patch)),
    jsonPatch: (type, key, patch, options = {}) =>
      patched(type, key, patch, options, (found) => applyJsonPatch(found, patch)),
    apply: async (type, body, { fieldManager, force = false, ...write }) => {
      const key = keyFor(type, body);
      await receive({ verb: 'apply', type, key, ...subresourceOf(write), body }, { ...write, fieldManager });
      assertPossible(body, write);
      const refuse = refusing('apply', type, key);
      const config = wire(type, body);
      if (config.metadata.managedFields !== undefined)
        refuse(400, 'BadRequest', 'metadata.managedFields must be nil');
      assertApplicable(config, []);
      const live = storeOf(type).get(keyString(key));
      if (live === undefined && write.subresource !== undefined) refuse(404, 'NotFound', 'not found');
      const by = manager('Apply', fieldManager, write);
      const { object, conflicts } = applyFields(live, config, by, force, structure(type));
      if (live === undefined)
        return out(storeOf(type).create(keyString(key), object, { refuse, dryRun: write.dryRun }));
      const isCurrent = object.metadata.resourceVersion === live.metadata.resourceVersion;
      if (!force && conflicts.length > 0 && isCurrent)
        refuse(409, 'Conflict', `Apply failed with ${conflicts.length} conflict(s): ${conflicts.join(', ')}`);
      return put('apply', type, key, object, write, () => object.metadata.managedFields ?? []);
    },
    delete: async (type, key, options = {}) => {
      await receive({ verb: 'delete', type, key }, options);
      storeOf(type).remove(keyString(key), options, refusing('delete', type, key));
    },
    // All types are served.
    discover: async (asked, options) => {
      const type = isType(asked) ? asked : { ...asked, kind: '', plural: '', namespaced: false };
      await receive({ verb: 'discover', type }, options);
      const known = [...cluster.types(), ...(type.plural === '' ? [] : [type])];
      return (parts.kinds ?? known)
        .filter(({ group, version }) => group === asked.group && version === asked.version)
        .map(({ plural: name, kind, namespaced }) => ({ name, kind, namespaced }));
    },
  };
}

const isType = (version: GroupVersion): version is ResourceType => 'plural' in version;

/** An object of a cluster-scoped kind has no namespace, whatever its metadata has. */
const keyFor = ({ namespaced }: ResourceType, object: KubeObject): ObjectKey =>
  namespaced ? keyOf(object) : { name: object.metadata.name };

/** As it is received: without undefined members. */
function wire(type: ResourceType, object: KubeObject): AnyObject {
  const copy: AnyObject = JSON.parse(JSON.stringify(object));
  if (!type.namespaced) delete copy.metadata.namespace;
  return copy;
}

const subresourceOf = ({ subresource }: Write) => (subresource === undefined ? {} : { subresource });

function assertPossible(object: object, { fieldValidation }: WriteOptions): void {
  if (fieldValidation !== undefined) throw new RangeError('the memory client does not validate fields');
  if ('stringData' in object) throw new RangeError('the memory client does not convert stringData');
}

/** Clients may send what they read; anything else would change owners. */
function assertSameOwners(old: AnyObject | undefined, { metadata: { managedFields } }: AnyObject): void {
  if (managedFields !== undefined && !jsonEqual(managedFields, old?.metadata.managedFields))
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
