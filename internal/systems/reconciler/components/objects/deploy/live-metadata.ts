import {
  groupResource,
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
} from '../../../../../framework/kube/index.ts';
import { LABEL_COMPONENT } from '../interceptors.ts';
import { ifFound } from '../known-types.ts';
import { objectNameOf, type PreparedObject } from '../prepared-object.ts';

/** Reads the metadata of objects that were applied before. */
export interface LiveMetadata {
  /** As it was at the begin of the deployment or later. Undefined if there is no such object with the label of the component. */
  find(prepared: PreparedObject, client: MetadataClient): Promise<KubeObject | undefined>;
  /** As it is. */
  read(prepared: PreparedObject, client: MetadataClient): Promise<KubeObject | undefined>;
}

/** Of the part of the work that is about the object. */
type MetadataClient = Pick<KubeClient, 'getMetadata'>;

interface LiveMetadataOptions {
  readonly component: string;
  /** For lists, which are kept. */
  readonly client: Pick<KubeClient, 'listMetadata'>;
  readonly signal: AbortSignal;
}

/** Of a kind in a namespace: as many objects are listed rather than read one by one. */
const MIN_LISTED = 3;
/** Objects of a list; it has those of one component alone. */
const MAX_LISTED = 500;

/** @param objects those that are going to be looked for */
export function createLiveMetadata(
  objects: readonly PreparedObject[],
  { component, client, signal }: LiveMetadataOptions,
): LiveMetadata {
  const labelSelector = `${LABEL_COMPONENT}=${objectNameOf(component)}`;
  const counts = new Map<string, number>();
  for (const each of objects) counts.set(listOf(each), (counts.get(listOf(each)) ?? 0) + 1);
  interface Listed {
    readonly isWhole: boolean;
    readonly byKey: ReadonlyMap<string, KubeObject>;
  }
  const lists = new Map<string, Promise<Listed>>();

  const list = async ({ type, object }: PreparedObject): Promise<Listed> => {
    const { namespace } = object.metadata;
    const { items, continue: next } = await client.listMetadata(type, {
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      labelSelector,
      limit: MAX_LISTED,
      signal,
    });
    const byKey = new Map(items.map((item) => [keyString(keyOf(item)), item]));
    return { isWhole: next === undefined, byKey };
  };
  const read: LiveMetadata['read'] = ({ type, object }, reader) =>
    ifFound(reader.getMetadata(type, keyOf(object), { signal }));
  return {
    read,
    find: async (prepared, reader) => {
      const name = listOf(prepared);
      if ((counts.get(name) ?? 0) < MIN_LISTED) return read(prepared, reader);
      const listing = lists.get(name) ?? list(prepared);
      lists.set(name, listing);
      const { isWhole, byKey } = await listing;
      const found = byKey.get(keyString(keyOf(prepared.object)));
      return found !== undefined || isWhole ? found : read(prepared, reader);
    },
  };
}

const listOf = ({ type, object }: PreparedObject): string =>
  `${groupResource(type)}/${type.version}/${type.namespaced ? (object.metadata.namespace ?? '') : ''}`;
