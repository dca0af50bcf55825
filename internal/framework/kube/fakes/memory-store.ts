import { randomUUID } from 'node:crypto';
import { cloneJson, jsonEqual } from '../../base/json/json-value.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import type { DeleteOptions, WatchEvent } from '../client/client.ts';
import type { KubeObject } from '../object/object.ts';

/** An object with any fields beside metadata. */
export type AnyObject = KubeObject & Record<string, unknown>;

/** Refuses a request with a reason of the API server. */
export type Refuse = (status: number, reason: string, message: string) => never;

export interface StoredEvent extends WatchEvent<AnyObject> {
  readonly version: number;
  /** Before the event; absent: the object did not exist. */
  readonly old?: AnyObject;
}

export interface StoreWrite {
  readonly refuse: Refuse;
  readonly dryRun?: boolean | undefined;
}

export interface Replacement extends StoreWrite {
  /** What is taken from the object. */
  readonly part: 'status' | 'object';
  /** The UID of a PUT is a precondition; a patch cannot change it. */
  readonly isPatch: boolean;
  /** The `managedFields` of the next object. */
  readonly owners: (old: AnyObject | undefined, next: AnyObject) => unknown[];
}

/**
 * The objects of one kind as an API server stores them: resource versions, generations, UIDs, finalizers and the status
 * subresource. Without a schema: nothing is defaulted, pruned or validated.
 */
export interface MemoryStore {
  /** Events that watches can still begin with. */
  readonly history: StoredEvent[];
  /** Earlier events, by their number and the version of the last one. */
  readonly compacted: { readonly events: number; readonly version: number };
  get(key: string): AnyObject | undefined;
  /** In the order of their keys. */
  list(): readonly AnyObject[];
  /** Sets what is missing; nothing is replaced. */
  insert(key: string, object: AnyObject): AnyObject;
  /** A new object from a request. */
  create(key: string, object: AnyObject, write: StoreWrite): AnyObject;
  replace(key: string, object: AnyObject, write: Replacement): AnyObject;
  remove(key: string, options: DeleteOptions, refuse: Refuse): void;
}

/** How the API server treats a kind. */
export interface KindTraits {
  /** Whether it has generations and a status of its own. */
  readonly hasStatus: boolean;
  /** Whether it is in the core group. A PUT needs no version then. */
  readonly isCore: boolean;
  /** Whether a PUT of a missing object creates it. */
  readonly createdByUpdate: boolean;
}

/** A write that is about to be stored. */
export interface AdmissionRequest {
  readonly operation: 'create' | 'update' | 'delete';
  readonly part: 'status' | 'object';
  /** Whether it is a patch or an apply. */
  readonly isPatch: boolean;
  readonly old?: AnyObject;
  /** What would be stored; that of a deletion is the object itself. */
  readonly next: AnyObject;
  readonly refuse: Refuse;
}

/** What the API server of a kind does beyond storing it. */
export interface Admission {
  /** Sets defaults, which belong to the field manager that creates the object. */
  readonly defaulted?: (object: AnyObject) => AnyObject;
  /** Returns what is stored, or refuses. Fields that it sets belong to no field manager. */
  readonly admit?: (request: AdmissionRequest) => AnyObject;
}

export interface MemoryStoreOptions {
  readonly now: () => number;
  /** The next resourceVersion; one counter for all kinds of a cluster. */
  readonly nextVersion: () => number;
  readonly kind: KindTraits;
  /** Default: nothing. */
  readonly admission?: Admission | undefined;
  /** The most events that are kept. */
  readonly maxEvents: number;
  readonly onEvent: () => void;
  /** Called after an object was added. */
  readonly onAdded: (key: string, object: AnyObject) => void;
}

const garbageCollection = { Foreground: ['foregroundDeletion'], Orphan: ['orphan'], Background: [] };
const modified = 'the object has been modified; apply your changes to the latest version';

export function createMemoryStore(options: MemoryStoreOptions): MemoryStore {
  const { now, nextVersion, kind, maxEvents, onEvent, onAdded } = options;
  const { defaulted = same, admit = ({ next }: AdmissionRequest) => next } = options.admission ?? {};
  const { hasStatus, isCore, createdByUpdate } = kind;
  const objects = new Map<string, AnyObject>();
  const history: StoredEvent[] = [];
  let compacted = { events: 0, version: 0 };
  const compact = () => {
    const gone = history.splice(0, Math.ceil(maxEvents / 2));
    compacted = { events: compacted.events + gone.length, version: gone.at(-1)?.version ?? 0 };
  };
  const publish = (key: string, type: StoredEvent['type'], content: AnyObject) => {
    const version = nextVersion();
    const metadata = { ...content.metadata, resourceVersion: String(version) };
    const object = { ...content, metadata };
    const old = objects.get(key);
    history.push({ type, object, version, ...(old === undefined ? {} : { old }) });
    if (history.length > maxEvents) compact();
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, object);
    onEvent();
    if (type === 'ADDED') onAdded(key, object);
    return object;
  };
  const complete = (object: AnyObject) => {
    const metadata = { ...object.metadata };
    metadata.uid ??= randomUUID();
    metadata.creationTimestamp ??= formatTimestamp(now());
    if (hasStatus) metadata.generation ??= 1;
    return { ...object, metadata };
  };
  const create: MemoryStore['create'] = (key, object, { refuse, dryRun }) => {
    if (objects.has(key)) refuse(409, 'AlreadyExists', 'already exists');
    const { resourceVersion, uid: _u, creationTimestamp: _c, ...given } = object.metadata;
    if (resourceVersion !== undefined)
      refuse(500, '', 'resourceVersion should not be set on objects to be created');
    const { deletionTimestamp: _t, deletionGracePeriodSeconds: _s, ...metadata } = given;
    const next = withoutEmpty({ ...object, metadata }, isCore);
    if (hasStatus) {
      delete next.status;
      delete next.metadata.generation;
    }
    const defaults = complete(defaulted(next));
    const created = admit({ operation: 'create', part: 'object', isPatch: false, next: defaults, refuse });
    return dryRun ? created : publish(key, 'ADDED', created);
  };
  return {
    history,
    get compacted() {
      return compacted;
    },
    get: (key) => objects.get(key),
    list: () => [...objects].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, object]) => object),
    insert: (key, object) => publish(key, 'ADDED', complete(object)),
    create,
    replace: (key, wanted, { part, isPatch, refuse, dryRun, owners }) => {
      const old = objects.get(key);
      if (old === undefined) {
        if (!createdByUpdate || isPatch) return refuse(404, 'NotFound', 'not found');
        const { resourceVersion: _, ...metadata } = wanted.metadata;
        if (metadata.uid !== undefined) refuse(409, 'Conflict', 'the UID does not match');
        metadata.managedFields = owners(undefined, wanted);
        return create(key, { ...wanted, metadata }, { refuse, dryRun });
      }
      const { resourceVersion, uid = old.metadata.uid, name, namespace } = wanted.metadata;
      if (name !== old.metadata.name || namespace !== old.metadata.namespace)
        refuse(400, 'BadRequest', 'the name of the object does not match the name on the URL');
      if (resourceVersion === undefined && !isCore)
        refuse(422, 'Invalid', 'metadata.resourceVersion: must be specified for an update');
      if ((resourceVersion ?? old.metadata.resourceVersion) !== old.metadata.resourceVersion)
        refuse(409, 'Conflict', modified);
      if (uid !== old.metadata.uid && !isPatch) refuse(409, 'Conflict', 'the UID does not match');
      const changed =
        part === 'status'
          ? { ...withoutStatus(old), ...(wanted.status === undefined ? {} : { status: wanted.status }) }
          : nextObject(old, defaulted(wanted), kind, refuse);
      changed.metadata = { ...changed.metadata, managedFields: owners(old, changed) };
      const next = admit({ operation: 'update', part, isPatch, old, next: changed, refuse });
      if (part === 'object' && hasStatus) countGeneration(old, next);
      if (jsonEqual(next, old)) return old;
      if (dryRun) return next;
      const { deletionTimestamp, finalizers = [] } = next.metadata;
      if (deletionTimestamp === undefined || finalizers.length > 0)
        return publish(key, 'MODIFIED', cloneJson(next));
      // Watches get it as it was stored last.
      publish(key, 'DELETED', old);
      return next;
    },
    remove: (key, { preconditions, propagationPolicy = 'Background' }, refuse) => {
      const old = objects.get(key);
      if (old === undefined) return refuse(404, 'NotFound', 'not found');
      const { uid, resourceVersion } = preconditions ?? {};
      if ((uid ?? old.metadata.uid) !== old.metadata.uid) refuse(409, 'Conflict', 'the UID does not match');
      if ((resourceVersion ?? old.metadata.resourceVersion) !== old.metadata.resourceVersion)
        refuse(409, 'Conflict', 'the resourceVersion does not match');
      admit({ operation: 'delete', part: 'object', isPatch: false, old, next: old, refuse });
      const others = (old.metadata.finalizers ?? []).filter(
        (name) => name !== 'foregroundDeletion' && name !== 'orphan',
      );
      const finalizers = [...others, ...garbageCollection[propagationPolicy]];
      if (finalizers.length === 0) return void publish(key, 'DELETED', old);
      const { generation, deletionTimestamp = formatTimestamp(now()) } = old.metadata;
      const isFirst = old.metadata.deletionTimestamp === undefined;
      const bumped = isFirst && generation !== undefined ? { generation: generation + 1 } : {};
      const metadata = {
        ...old.metadata,
        ...bumped,
        finalizers,
        deletionTimestamp,
        deletionGracePeriodSeconds: 0,
      };
      if (!jsonEqual(metadata, old.metadata)) publish(key, 'MODIFIED', { ...old, metadata });
    },
  };
}

const ofServer = [
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'generation',
  'resourceVersion',
] as const;

/** The object that a PUT or patch stores: all fields except those that the server sets. */
function nextObject(old: AnyObject, wanted: AnyObject, kind: KindTraits, refuse: Refuse): AnyObject {
  const given = wanted.metadata;
  for (const name of ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    if (given[name] !== undefined && given[name] !== old.metadata[name])
      refuse(422, 'Invalid', `metadata.${name}: field is immutable`);
  const metadata = { ...given };
  for (const name of ofServer)
    if (old.metadata[name] === undefined) delete metadata[name];
    else Object.assign(metadata, { [name]: old.metadata[name] });
  const { deletionTimestamp } = metadata;
  const added = (metadata.finalizers ?? []).filter((name) => !old.metadata.finalizers?.includes(name));
  if (deletionTimestamp !== undefined && added.length > 0)
    refuse(422, 'Invalid', 'no new finalizers can be added if the object is being deleted');
  const next = withoutEmpty({ ...wanted, metadata }, kind.isCore);
  if (!kind.hasStatus) return next;
  delete next.status;
  if (old.status !== undefined) next.status = old.status;
  return next;
}

/** One more than before if something else than metadata changed. An admission may count it for other reasons. */
function countGeneration(old: AnyObject, next: AnyObject): void {
  const { metadata: _a, ...content } = next;
  const { metadata: _b, ...before } = old;
  const { generation = 0 } = old.metadata;
  if (!jsonEqual(content, before)) next.metadata = { ...next.metadata, generation: generation + 1 };
}

const same = (object: AnyObject): AnyObject => object;

function withoutStatus({ status: _, ...object }: AnyObject): AnyObject {
  return object as AnyObject;
}

/** Empty maps and lists of metadata are not stored, nor are those of core kinds. */
function withoutEmpty(object: AnyObject, isCore: boolean): AnyObject {
  const isFilled = ([, value]: [string, unknown]) =>
    typeof value !== 'object' || value === null || Object.keys(value).length > 0;
  const filled = <T extends object>(fields: T) =>
    Object.fromEntries(Object.entries(fields).filter(isFilled)) as T;
  return { ...(isCore ? filled(object) : object), metadata: filled(object.metadata) };
}
