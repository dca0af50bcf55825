import { randomBytes } from 'node:crypto';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { nopLogger } from '../../internal/framework/base/telemetry/logger.ts';
import { nopMetrics } from '../../internal/framework/base/telemetry/metrics.ts';
import { systemClock } from '../../internal/framework/base/time/clock.ts';
import { createInformer } from '../../internal/framework/kube/cache/informer.ts';
import { getIfExists } from '../../internal/framework/kube/client/get-if-exists.ts';
import {
  type KubeClient,
  type KubeObject,
  keyOf,
  keyString,
  type ResourceType,
} from '../../internal/framework/kube/index.ts';

export interface CopiedKind {
  readonly type: ResourceType<KubeObject>;
  /** Whether the program has created the object. */
  readonly isOwn: (object: KubeObject) => boolean;
  /** Without what the API server accepts once. Default: as it is. */
  readonly copyOf?: (object: KubeObject) => KubeObject;
  /** Of the name of a copy. Default 200. */
  readonly maxName?: number;
}

export interface ForeignCopiesOptions {
  /** Of an administrator. */
  readonly client: KubeClient;
  readonly namespace: string;
  readonly kinds: readonly CopiedKind[];
}

/**
 * Beside each object that the program creates in a namespace of a real API server, a copy of another owner: with the same labels,
 * annotations and content, another name and another UID. API servers in memory have copies by themselves (test/guards).
 */
export interface ForeignCopies {
  isCopy(name: string): boolean;
  /** How many there are so far. */
  count(): number;
  /** @throws if a copy could not be placed, or was changed or deleted since */
  stop(): Promise<void>;
}

export function placeForeignCopies({ client, namespace, kinds }: ForeignCopiesOptions): ForeignCopies {
  const names = new Set<string>();
  const placing: Promise<() => Promise<readonly string[]>>[] = [];
  const place = async (type: ResourceType<KubeObject>, object: KubeObject) => {
    const created = await client.create(type, object);
    const what = `${type.kind} ${keyString(keyOf(created))}, a copy of another owner`;
    return async () => {
      const found = await getIfExists(client, type, keyOf(created));
      if (found?.metadata.uid !== created.metadata.uid) return [`foreign-objects: ${what}, was deleted`];
      if (found?.metadata.resourceVersion === created.metadata.resourceVersion) return [];
      return [`foreign-objects: ${what}, was changed`];
    };
  };
  const stops = kinds.flatMap(({ type, isOwn, copyOf = (object) => object, maxName = 200 }) => {
    const informer = createInformer({
      ...{ client, type, clock: systemClock, log: nopLogger, metrics: nopMetrics },
      selection: { namespace },
    });
    const end = informer.subscribe((event) => {
      const { name, labels, annotations } = event.object.metadata;
      if (event.type !== 'added' || names.has(name) || !isOwn(event.object)) return;
      const ending = `-${randomBytes(2).toString('hex')}`;
      const copy = name.slice(0, maxName - ending.length) + ending;
      names.add(copy);
      const metadata = {
        ...{ namespace, name: copy },
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
