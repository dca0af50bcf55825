import { messageOf } from '../../base/errors/errors.ts';
import { type Existence, isProvedAbsent } from '../../ownership/ownership.ts';
import type { JsonPatchOperation } from '../apply/patches.ts';
import { isNotFound, isUnknownKind } from '../errors/errors.ts';
import { type KubeObject, keyString, type ObjectKey, type ObjectMeta } from '../object/object.ts';
import type { ResourceType } from '../object/resource-type.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface Selection {
  /** Only this namespace; absent: all. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends CallOptions, Selection {
  /** Objects per page; default 500. */
  readonly limit?: number;
  /** Larger pages are errors (ResponseTooLargeError); default: the limit of responses. */
  readonly maxBytes?: number;
  /** Continue token of the page before. */
  readonly continue?: string;
  readonly resourceVersion?: string;
}

export interface Page<T> {
  readonly items: T[];
  readonly resourceVersion: string;
  /** Token for the next page; absent on the last one. */
  readonly continue?: string;
}

export interface WatchOptions extends CallOptions, Selection {
  /** Start after this version; absent: the server begins with a synthetic ADDED for everything there is. */
  readonly resourceVersion?: string;
  /** How long the server keeps the watch open, in seconds. */
  readonly timeoutSeconds?: number;
  /** Called when the server has accepted the watch, which may be long before the first event. */
  readonly onOpen?: () => void;
}

/** One line of a watch. BOOKMARK carries only a resourceVersion; ERROR ends the stream as a thrown KubeApiError instead. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  readonly object: T;
}

/** What a metadata-only read returns. */
export type PartialObject = KubeObject & { metadata: ObjectMeta };

export interface WriteOptions extends CallOptions {
  /** The API server validates and defaults the object, and does not store it. */
  readonly dryRun?: boolean;
  /** `Strict`: unknown and duplicate fields are refused. Default: the server's, which drops them. */
  readonly fieldValidation?: 'Strict';
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take ownership of fields of other managers. Default false. */
  readonly force?: boolean;
  readonly subresource?: 'status';
}

export interface DeleteOptions extends CallOptions {
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export type GroupVersion = Pick<ResourceType, 'group' | 'version'>;

/** A resource as the server serves it. */
export interface ServedResource {
  /** Plural name; of a subresource `shoots/adminkubeconfig`. */
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Name of the cluster whose objects the program reconciles; the default where a cluster has a name. */
export const MANAGEMENT_CLUSTER = 'management';

/**
 * A client of one API server. Every method throws KubeApiError for a response other than success, and a `transient`
 * ProviderError if there is no response. Objects are plain JSON.
 */
export interface KubeClient {
  /** How messages name this cluster: `management cluster`, or `cluster <server host>`. */
  readonly clusterName: string;
  /** The wall clock of the API server, in ms since the epoch, for ages of objects. Before the first response: the own clock. */
  now(): number;
  get<T extends KubeObject>(type: ResourceType<T>, key: ObjectKey, options?: CallOptions): Promise<T>;
  getMetadata(type: ResourceType, key: ObjectKey, options?: CallOptions): Promise<PartialObject>;
  list<T extends KubeObject>(type: ResourceType<T>, options?: ListOptions): Promise<Page<T>>;
  listMetadata(type: ResourceType, options?: ListOptions): Promise<Page<PartialObject>>;
  watch<T extends KubeObject>(type: ResourceType<T>, options?: WatchOptions): AsyncIterable<WatchEvent<T>>;
  watchMetadata(type: ResourceType, options?: WatchOptions): AsyncIterable<WatchEvent<PartialObject>>;
  create<T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>, options?: WriteOptions): Promise<T>;
  /**
   * POST to a subresource, e.g. `token` of a ServiceAccount. The server may answer with an object of another kind. There is
   * no dry run, since the answer may be a credential.
   *
   * @throws `not-found` if there is no such object or subresource
   */
  createSubresource<A extends KubeObject>(
    type: ResourceType,
    key: ObjectKey,
    subresource: string,
    body: object,
    options?: CallOptions,
  ): Promise<A>;
  /**
   * PUT of the main resource.
   *
   * @throws `conflict` if the object has a resourceVersion or UID that is not current, `not-found` if there is no object
   * (without a resourceVersion some kinds are created), `terminal` if it is invalid
   */
  update<T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>, options?: WriteOptions): Promise<T>;
  /** PUT of the status subresource. Throws the errors of `update`. */
  updateStatus<T extends KubeObject>(
    type: ResourceType<T>,
    object: NoInfer<T>,
    options?: WriteOptions,
  ): Promise<T>;
  /** JSON merge patch (RFC 7386). */
  mergePatch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: unknown,
    options?: WriteOptions & { readonly subresource?: 'status' },
  ): Promise<T>;
  /**
   * JSON patch (RFC 6902). The API server applies it to the newest version, so it does not conflict with writes of other
   * fields. Preconditions are `test` operations; one that fails is `isPatchRefused`.
   */
  jsonPatch<T extends KubeObject>(
    type: ResourceType<T>,
    key: ObjectKey,
    patch: readonly JsonPatchOperation[],
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * Server-side apply: creates the object, or changes the fields that it has.
   *
   * @throws `conflict` if another field manager owns such a field and `force` is not set, or for a resourceVersion or UID
   * that is not current; `not-found` if the namespace does not exist; `terminal` if the object is invalid
   */
  apply<T extends KubeObject>(type: ResourceType<T>, object: NoInfer<T>, options: ApplyOptions): Promise<T>;
  /**
   * Resolves when the server has accepted the deletion; finalizers may keep the object for longer.
   *
   * @throws `not-found` if there is no object, `conflict` if a precondition does not hold
   */
  delete(type: ResourceType, key: ObjectKey, options?: DeleteOptions): Promise<void>;
  /**
   * The resources that the server serves in the group and version, with their subresources.
   *
   * @throws `not-found` if it does not serve the group or version
   */
  discover(version: GroupVersion, options?: CallOptions): Promise<readonly ServedResource[]>;
}

/**
 * The object; undefined if it is proved that there is none: by a Status of the API server about this very object (`isNotFound`).
 *
 * @throws UnprovenAbsenceError if the API server does not serve the kind: its objects may be in etcd
 */
export async function getIfExists<T extends KubeObject>(
  client: Pick<KubeClient, 'get' | 'clusterName'>,
  type: ResourceType<T>,
  key: ObjectKey,
  { signal }: CallOptions = {},
): Promise<T | undefined> {
  try {
    return await client.get(type, key, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const seen: Existence = isUnknownKind(error)
      ? { state: 'unclear', response: messageOf(error) }
      : { state: 'absent' };
    await isProvedAbsent(`${type.kind} ${keyString(key)} on ${client.clusterName}`, seen);
    return undefined;
  }
}

/** The `continue` of the page before, if there was one. */
export interface NextPage {
  readonly continue?: string;
}

interface PagesOptions {
  /** A hostile server could have pages without end. Default: all are read. */
  readonly max?: number;
  /** Called when there are more; then the pages end. Default: what follows is not read. */
  readonly onMore?: () => void;
}

/** The pages of a collection, one request after the other. */
export async function* pagesOf<T>(
  list: (next: NextPage) => Promise<Page<T>>,
  { max = Number.POSITIVE_INFINITY, onMore }: PagesOptions = {},
): AsyncGenerator<readonly T[], void, undefined> {
  let next: NextPage = {};
  for (let page = 0; page < max; page++) {
    const { items, continue: more } = await list(next);
    yield items;
    if (more === undefined || more === '') return;
    next = { continue: more };
  }
  onMore?.();
}
