import { type KubeObject, wasDeleted } from '../../kube/object/object.ts';
import { isAlways, isOptional, type OneField, type ResolvedOne, type Selector } from './reference.ts';
import type { TargetReader } from './target-reader.ts';

/**
 * With `Always` a selector selects anew; otherwise an existing reference takes precedence over a selector. An
 * existing value stays, unless the policy is `Always`.
 */
export async function resolveOne<T extends KubeObject>(
  { value, ref: stored, selector, to }: OneField<T>,
  from: KubeObject,
  reader: TargetReader,
): Promise<ResolvedOne> {
  const reselect = isAlways(selector);
  const ref = reselect ? undefined : stored;
  const always = selector === undefined ? isAlways(ref) : reselect;
  const unchanged = { value, ref: stored };
  const extracted = (object: T, optional: boolean) => {
    const found = to.extract(object);
    if (found) return found;
    if (optional) return undefined;
    throw reader.hasNoValue(to, object);
  };
  if (wasDeleted(from) || (value && !always)) return unchanged;
  if (ref !== undefined) {
    const object = await reader.get(to, ref, isOptional(ref));
    if (object === undefined) return { value: undefined, ref };
    return { value: extracted(object, isOptional(ref)), ref };
  }
  if (selector === undefined) return unchanged;
  for await (const object of reader.select(to, selector)) {
    return {
      value: extracted(object, isOptional(selector)),
      ref: referenceTo(object, selector),
    };
  }
  if (isOptional(selector)) return { value: undefined, ref: undefined };
  throw reader.matchesNothing();
}

/** States the namespace only if it differs from that of the referring object. */
export function referenceTo({ metadata }: KubeObject, { namespace }: Selector) {
  return namespace === undefined ? { name: metadata.name } : { name: metadata.name, namespace };
}
