import { kindOf, messageOf, ProviderError, wrap } from '../../base/errors/errors.ts';
import { assertNesting, cloneJson, jsonEqual } from '../../base/json/json-value.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { isConflict, isNotFound } from '../../kube/errors/errors.ts';
import { type KubeObject, keyOf } from '../../kube/object/object.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';

/** An object with a status subresource. */
export type WithStatus = KubeObject & { status?: object };

/**
 * The object of one reconcile, changed in place. Each response to a write replaces metadata and spec; the status in
 * memory stays, so that a write does not lose what Observe set.
 */
export interface WorkingCopy<T extends WithStatus> {
  readonly object: T;
  /** The version that was read; shared, so it is not changed. */
  readonly original: T;
  /** Marks the object as changed, so that the next `put` is sent. */
  markChanged(): void;
  hasChanges(): boolean;
  /** PUT of metadata and spec. */
  put(signal: AbortSignal): Promise<void>;
  /** Server-side apply of `fields` of this version, with force. */
  apply(fields: object, fieldManager: string, signal: AbortSignal): Promise<void>;
  /** PUT of the status, unless it is stored already. An invalid one is a `transient` error. */
  putStatus(signal: AbortSignal): Promise<void>;
  /**
   * GET: whether metadata and spec are those that this copy was read with or stored last. If so, the copy continues
   * with the newest version, in which others may have changed the status.
   */
  isCurrent(signal: AbortSignal): Promise<boolean>;
  /** Replaces metadata and spec by those stored now. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Annotations set since metadata was last stored or read. */
  changedAnnotations(): Record<string, string>;
}

export interface WorkingCopyOptions<T extends WithStatus> {
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  /** As read; shared, so it is not changed. */
  readonly object: T;
  /** The spec is not copied, as the reconciler does not change it; default false. It may have megabytes. */
  readonly sharesSpec?: boolean | undefined;
  /** Called after every write. */
  readonly onWritten?: OnWritten<T> | undefined;
  /** Called with a version that the API server has replaced, as a refused write or `isCurrent` showed. */
  readonly onOutdated?: (version: T) => void;
}

/**
 * Called with the stored object: after a write of metadata and spec, or of the status, of the version that was read. `merged`:
 * after either, if the version may have changes of others that no reconcile has handled.
 */
export type OnWritten<T> = (stored: T, what: 'object' | 'merged' | 'status') => void;

export function createWorkingCopy<T extends WithStatus>(options: WorkingCopyOptions<T>): WorkingCopy<T> {
  const { client, type, onWritten, onOutdated } = options;
  const copyOf = options.sharesSpec ? copyWithoutSpec : cloneJson;
  const object = copyOf(withoutOwners(options.object));
  /** Shared: read only. */
  let stored = options.object;
  let changed = false;
  let refreshed = false;
  /** The stored version may have changes of others that no reconcile has handled. */
  let merged = false;
  const take = (answer: T) => {
    const { status, metadata } = object;
    const { status: _, ...rest } = answer;
    const fresh = copyOf(withoutOwners(rest as T));
    for (const key of Object.keys(object)) delete (object as Record<string, unknown>)[key];
    Object.assign(object, fresh);
    if (status === undefined) delete object.status;
    else object.status = status;
    // The status belongs to the generation that was read, not to one stored in the meantime.
    if (refreshed && metadata.generation !== undefined) object.metadata.generation = metadata.generation;
    stored = answer;
    changed = false;
  };
  const write = async (send: () => Promise<T>): Promise<T> => {
    try {
      return await send();
    } catch (error) {
      if (isConflict(error)) onOutdated?.(stored);
      throw error;
    }
  };
  return {
    object,
    original: options.object,
    markChanged: () => {
      changed = true;
    },
    hasChanges: () => changed,
    put: async (signal) => {
      const { status: _, ...body } = object;
      const answer = await write(() => client.update(type, body as T, { signal }));
      take(answer);
      onWritten?.(answer, merged ? 'merged' : 'object');
    },
    apply: async (fields, fieldManager, signal) => {
      const { apiVersion, kind, metadata } = object;
      const { uid, resourceVersion } = metadata;
      const identity = { ...keyOf(object), uid, resourceVersion };
      const body = { ...fields, apiVersion, kind, metadata: identity } as KubeObject as T;
      const answer = await write(() => client.apply<T>(type, body, { fieldManager, force: true, signal }));
      take(answer);
      onWritten?.(answer, merged ? 'merged' : 'object');
    },
    putStatus: async (signal) => {
      if (jsonEqual(object.status ?? {}, stored.status ?? {})) return;
      const answer = await write(() => client.updateStatus(type, object, { signal })).catch(retriable);
      take(answer);
      onWritten?.(answer, merged ? 'merged' : 'status');
    },
    isCurrent: async (signal) => {
      const newest = await getUnlessGone(() => client.get(type, keyOf(object), { signal }));
      if (newest === undefined || refreshed || !jsonEqual(desiredState(newest), desiredState(stored))) {
        onOutdated?.(stored);
        return false;
      }
      const { resourceVersion = '' } = newest.metadata;
      // The status of others may differ.
      merged ||= resourceVersion !== stored.metadata.resourceVersion;
      object.metadata = { ...object.metadata, resourceVersion };
      return true;
    },
    refresh: async (signal) => {
      const answer = await client.get(type, keyOf(object), { signal });
      if (answer.metadata.uid !== object.metadata.uid) {
        throw new ProviderError('not-found', 'the object was replaced by another one of the same name');
      }
      refreshed = true;
      merged = true;
      take(answer);
    },
    changedAnnotations: () => {
      const before = stored.metadata.annotations ?? {};
      const now = object.metadata.annotations ?? {};
      return Object.fromEntries(Object.entries(now).filter(([name, value]) => before[name] !== value));
    },
  };
}

/** The API server keeps the `managedFields` that it is not sent: to copy and to send them costs as much as the rest of an object. */
function withoutOwners<T extends WithStatus>(object: T): T {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * The API server refuses a status for what it says, which is of external systems and not of the spec: a later one may be accepted, and
 * a terminal error would end all reconciles.
 */
function retriable(error: unknown): never {
  if (kindOf(error) !== 'terminal') throw error;
  throw new ProviderError('transient', messageOf(error), { cause: error });
}

function copyWithoutSpec<T extends WithStatus>(object: T): T {
  const { spec, ...others }: { spec?: unknown } & WithStatus = object;
  assertNesting(spec);
  return { ...cloneJson(others), spec } as WithStatus as T;
}

/** The desired state. The rest changes with each write of the status. */
function desiredState({ status: _s, metadata, ...rest }: WithStatus): object {
  const { resourceVersion: _v, managedFields: _f, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

async function getUnlessGone<T>(get: () => Promise<T>): Promise<T | undefined> {
  try {
    return await get();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** `put` with the error prefix of crossplane-runtime. */
export async function putObject<T extends WithStatus>(
  copy: WorkingCopy<T>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await copy.put(signal);
  } catch (error) {
    throw wrap(error, 'cannot update object');
  }
}
