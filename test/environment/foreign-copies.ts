import { randomBytes } from 'node:crypto';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { nopLogger, nopMetrics } from '../../internal/framework/base/telemetry/telemetry.ts';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { createInformer } from '../../internal/framework/kube/cache/informer.ts';
import { getIfExists, type Selection } from '../../internal/framework/kube/client/client.ts';
import {
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  namespaces,
  type ObjectKey,
  type ResourceType,
} from '../../internal/framework/kube/index.ts';

/** A kind of which the program creates objects, and whose copies it does not reconcile. */
export interface CopiedKind {
  readonly type: ResourceType<KubeObject>;
  /** Where the objects are. Default: everywhere. */
  readonly selection?: Selection;
  /** Whether the program has created the object. Default: all that are selected. */
  readonly isOwn?: (object: KubeObject) => boolean;
  /** Without what the API server accepts once. Default: as it is. */
  readonly copyOf?: (object: KubeObject) => KubeObject;
  /** Namespace of the copies, where one beside the object would be in its way. Default: that of the object. */
  readonly copiesIn?: string;
  /** Of the name of a copy. Default 200. */
  readonly maxName?: number;
}

export interface ForeignCopiesOptions {
  /** Of an administrator. */
  readonly client: KubeClient;
  readonly kinds: readonly CopiedKind[];
}

/**
 * Beside each object of these kinds that the program creates on a real API server, in whatever process it runs, a copy of another
 * owner: with the same labels, annotations and content, another name and another UID. It has no owner references: the garbage collector
 * would delete what another UID owns. API servers in memory have copies by themselves (test/guards).
 */
export interface ForeignCopies {
  isCopy(name: string): boolean;
  /** How many there are so far. */
  count(): number;
  /** To be called before the namespaces and the server go. @throws if a copy could not be placed, or was changed or deleted since */
  stop(): Promise<void>;
}

export function placeForeignCopies({ client, kinds }: ForeignCopiesOptions): ForeignCopies {
  const names = new Set<string>();
  const placing: Promise<() => Promise<readonly string[]>>[] = [];
  /** A test deletes a namespace with all that is in it. */
  const isNamespaceDeleted = async ({ namespace }: ObjectKey) => {
    if (namespace === undefined) return false;
    const found = await getIfExists(client, namespaces, { name: namespace });
    return found?.metadata.deletionTimestamp !== undefined || found === undefined;
  };
  const place = async (type: ResourceType<KubeObject>, object: KubeObject) => {
    const created = await client.create(type, object).catch(async (error: unknown) => {
      // Nothing can be added to a namespace that ends meanwhile.
      if (await isNamespaceDeleted(keyOf(object))) return undefined;
      throw error;
    });
    if (created === undefined) return async () => [];
    const what = `${type.kind} ${keyString(keyOf(created))}, a copy of another owner`;
    return async () => {
      const found = await getIfExists(client, type, keyOf(created));
      if (found?.metadata.uid !== created.metadata.uid)
        return (await isNamespaceDeleted(keyOf(created))) ? [] : [`foreign-objects: ${what}, was deleted`];
      if (found?.metadata.resourceVersion === created.metadata.resourceVersion) return [];
      return [`foreign-objects: ${what}, was changed`];
    };
  };
  const stops = kinds.flatMap(({ type, selection = {}, isOwn = () => true, ...how }) => {
    const { copyOf = (object) => object, maxName = 200 } = how;
    const informer = createInformer({
      ...{ client, type, selection, clock: systemClock, log: nopLogger, metrics: nopMetrics },
    });
    const end = informer.subscribe((event) => {
      const { name, labels, annotations, namespace: own } = event.object.metadata;
      if (event.type !== 'added' || names.has(name) || !isOwn(event.object)) return;
      const ending = `-${randomBytes(2).toString('hex')}`;
      const copy = name.slice(0, maxName - ending.length) + ending;
      names.add(copy);
      const namespace = how.copiesIn ?? own;
      const metadata = {
        name: copy,
        ...(namespace === undefined ? {} : { namespace }),
        ...(labels === undefined ? {} : { labels }),
        ...(annotations === undefined ? {} : { annotations }),
      };
      const placed = place(type, copyOf({ ...event.object, metadata }));
      placed.catch(() => undefined);
      placing.push(placed);
    });
    return [end, informer.start()];
  });
  return {
    isCopy: (name) => names.has(name),
    count: () => names.size,
    stop: async () => {
      for (const stop of stops) stop();
      const problems: string[] = [];
      for (const placed of placing) {
        try {
          const check = await placed;
          problems.push(...(await check()));
        } catch (error) {
          problems.push(`a copy of another owner cannot be placed: ${messageOf(error)}`);
        }
      }
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  };
}
