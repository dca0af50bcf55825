import type { KubeObject } from '../../kube/object/object.ts';

/** By the keys of a label selector: the value, or that there must be no such label. */
export type ShardLabels = Readonly<Record<string, string | undefined>>;

/**
 * The labels by which a shard selects an object. What a reconcile creates for the object, and the same process reconciles, needs the same
 * ones: else no shard reconciles it, or another one does.
 *
 * @param selector such as `shard=a,!old` or `shard notin (a, b)`; empty: there are none
 */
export function shardLabelsOf({ metadata: { labels = {} } }: KubeObject, selector: string): ShardLabels {
  const requirements = selector.replaceAll(/\([^()]*\)/g, '').split(',');
  const keys = requirements.flatMap((each) => /^!?\s*([\w./-]+)/.exec(each.trim())?.[1] ?? []);
  return Object.fromEntries(keys.map((key) => [key, labels[key]]));
}

/** The labels with those of the shard, and without those that it must not have. */
export function withShardLabels(
  labels: Readonly<Record<string, string>>,
  shard: ShardLabels,
): Record<string, string> {
  const others = Object.entries(labels).filter(([key]) => !Object.hasOwn(shard, key));
  const own = Object.entries(shard).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return Object.fromEntries([...others, ...own]);
}
