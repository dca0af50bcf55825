/** What users do with the objects of a kind, each at a place of its own: a namespace and a name. */

import { isDeepStrictEqual } from 'node:util';
import {
  isNotFound,
  KubeApiError,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  type ResourceType,
} from '../../../internal/framework/kube/index.ts';
import { annotationExternalName } from '../../../internal/framework/managed/index.ts';

export type UserAction<S> =
  /** Creates the object, or replaces its spec. */
  | { readonly do: 'set'; readonly at: number; readonly spec: S }
  | { readonly do: 'take back'; readonly at: number }
  | { readonly do: 'delete'; readonly at: number }
  /** Deletes it, waits, and creates it with the same name. */
  | { readonly do: 'recreate'; readonly at: number }
  /** Spec, labels and annotations, as `kubectl get -o yaml` and another name. */
  | { readonly do: 'copy'; readonly at: number; readonly to: number }
  | { readonly do: 'dump'; readonly at: number }
  /** The cluster loses the object, and has it again as it was dumped, without its status. */
  | { readonly do: 'restore'; readonly at: number }
  | {
      readonly do: 'annotate';
      readonly at: number;
      readonly annotations: Readonly<Record<string, string | null>>;
    };

export interface UserObjectsOptions<T extends KubeObject, S> {
  /** Of another program, without faults. */
  readonly client: KubeClient;
  readonly type: ResourceType<T>;
  readonly places: readonly ObjectKey[];
  readonly objectOf: (key: ObjectKey, spec: S) => T;
  readonly specOf: (object: T) => S;
  /** A rule of the CRD that the memory client does not have. Default: every edit is accepted. */
  readonly accepts?: (found: T, next: T) => boolean;
  /**
   * Whether what was restored has its external resource again: users edit it no earlier, since it would be looked up by what the edit says.
   * Default: always.
   */
  readonly isAdopted?: (object: T) => boolean;
  /**
   * Whether users restore what was dumped before an edit. Not where the external resource of the edit has another name, since it would stay,
   * and nothing in the cluster would know of it, and not where it cannot be changed. Default: true.
   */
  readonly restoresEdited?: boolean;
  /** Whether a dump of the object leads to its external resource: users restore no other. Default: always. */
  readonly isNamed?: (object: T) => boolean;
  /** What the garbage collector of a cluster does when an object is gone without its finalizers. Default: nothing. */
  readonly collect?: (lost: T) => Promise<void>;
  readonly wait: (ms: number) => Promise<void>;
}

export interface UserObjects<T extends KubeObject, S> {
  perform(action: UserAction<S>): Promise<void>;
  /** Replaces the spec. @returns whether the API server accepted it */
  set(at: number, spec: S): Promise<boolean>;
  find(at: number): Promise<T | undefined>;
  /** Those that users want, by place. */
  wanted(): ReadonlyMap<number, S>;
  /** By place: whose annotations are those of another object, or of a former one whose external resource stayed. */
  imported(): ReadonlyMap<number, 'copy' | 'restore'>;
  /** Deletes all. */
  deleteAll(): Promise<void>;
  keyAt(at: number): ObjectKey;
}

/** A user deletes and creates again after at most this time, in ms. */
const RECREATION_MS = 300_000;
const STEP_MS = 5000;

export function createUserObjects<T extends KubeObject, S>({
  client,
  type,
  places,
  objectOf,
  specOf,
  accepts = () => true,
  isAdopted = () => true,
  restoresEdited = true,
  isNamed = () => true,
  collect = async () => undefined,
  wait,
}: UserObjectsOptions<T, S>): UserObjects<T, S> {
  const wanted = new Map<number, S>();
  const before = new Map<number, S>();
  const dumps = new Map<number, T>();
  const imported = new Map<number, 'copy' | 'restore'>();
  const placeOf = (at: number) => at % places.length;
  const keyAt = (at: number): ObjectKey => {
    const key = places[placeOf(at)];
    if (key === undefined) throw new Error('a kind without places');
    return key;
  };
  const find = async (at: number): Promise<T | undefined> => {
    try {
      return await client.get<T>(type, keyAt(at));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  };
  const create = async (at: number, object: T) => {
    await client.create(type, object);
    wanted.set(placeOf(at), specOf(object));
    imported.delete(placeOf(at));
  };
  const set = async (at: number, spec: S): Promise<boolean> => {
    const found = await find(at);
    if (found?.metadata.deletionTimestamp !== undefined) return false;
    try {
      if (found === undefined) await create(at, objectOf(keyAt(at), spec));
      else {
        if (isDeepStrictEqual(specOf(found), spec)) return true;
        const { spec: given } = objectOf(keyAt(at), spec) as T & { spec?: unknown };
        const next = { ...found, spec: given };
        const isLost = imported.get(placeOf(at)) === 'restore' && !isAdopted(found);
        if (isLost || !accepts(found, next)) return false;
        await client.update(type, next);
        before.set(placeOf(at), specOf(found));
      }
    } catch (error) {
      if (!(error instanceof KubeApiError)) throw error;
      return false;
    }
    wanted.set(placeOf(at), spec);
    return true;
  };
  const remove = async (at: number) => {
    wanted.delete(placeOf(at));
    if ((await find(at)) !== undefined) await client.delete(type, keyAt(at));
  };
  /** Without what the API server sets. */
  const newObject = ({ metadata, ...rest }: T, key: ObjectKey): T => {
    const { labels, annotations, finalizers } = metadata;
    const given = { labels, annotations, finalizers };
    const { status: _, ...object } = rest as typeof rest & { status?: unknown };
    return JSON.parse(JSON.stringify({ ...object, metadata: { ...key, ...given } }));
  };
  const recreate = async (at: number) => {
    const found = await find(at);
    const spec = wanted.get(placeOf(at));
    if (found === undefined || spec === undefined) return;
    await remove(at);
    for (let ms = 0; ms < RECREATION_MS && (await find(at)) !== undefined; ms += STEP_MS) await wait(STEP_MS);
    if ((await find(at)) === undefined) await create(at, objectOf(keyAt(at), spec));
  };
  const copy = async (at: number, to: number) => {
    const found = await find(at);
    if (found === undefined || (await find(to)) !== undefined) return;
    const { metadata, ...object } = newObject(found, keyAt(to));
    const { finalizers: _, ...given } = metadata;
    await create(to, { ...object, metadata: given } as T);
    imported.set(placeOf(to), 'copy');
  };
  const restore = async (at: number) => {
    const found = await find(at);
    const dumped = dumps.get(placeOf(at));
    if (found === undefined || dumped === undefined || !isNamed(dumped)) return;
    if (found.metadata.deletionTimestamp !== undefined) return;
    if (!restoresEdited && !isDeepStrictEqual(versionOf(found), versionOf(dumped))) return;
    await client.mergePatch(type, keyAt(at), { metadata: { finalizers: null } });
    await client.delete(type, keyAt(at));
    await collect(found);
    await create(at, newObject(dumped, keyAt(at)));
    imported.set(placeOf(at), 'restore');
  };
  return {
    set,
    find,
    keyAt,
    wanted: () => wanted,
    imported: () => imported,
    deleteAll: async () => {
      for (const at of places.keys()) await remove(at);
    },
    perform: async (action) => {
      const { at } = action;
      switch (action.do) {
        case 'set':
          await set(at, action.spec);
          return;
        case 'take back': {
          const spec = before.get(placeOf(at));
          if (spec !== undefined && wanted.has(placeOf(at))) await set(at, spec);
          return;
        }
        case 'delete':
          return remove(at);
        case 'recreate':
          return recreate(at);
        case 'copy':
          return copy(at, action.to);
        case 'dump': {
          const found = await find(at);
          if (found !== undefined && found.metadata.deletionTimestamp === undefined)
            dumps.set(placeOf(at), found);
          return;
        }
        case 'restore':
          return restore(at);
        case 'annotate':
          if ((await find(at)) === undefined) return;
          await client.mergePatch(type, keyAt(at), { metadata: { annotations: action.annotations } });
          return;
        default:
          return action satisfies never;
      }
    },
  };
}

/** Differs after an edit, of another object, and as soon as an edit has given the external resource another name. */
const versionOf = ({ metadata: { uid, generation, annotations } }: KubeObject) => ({
  ...{ uid, generation },
  name: annotations?.[annotationExternalName],
});
