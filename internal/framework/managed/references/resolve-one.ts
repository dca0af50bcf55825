import { ProviderError } from '../../base/errors/errors.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import {
  isAlways,
  isOptional,
  messageNoMatches,
  messageNoValue,
  type OneField,
  type ResolvedOne,
  type Selector,
} from './reference.ts';
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
  if (wasDeleted(from) || (value && !always)) return unchanged;
  if (ref !== undefined) {
    const object = await reader.get(to, ref, isOptional(ref));
    if (object === undefined) return { value: undefined, ref };
    return { value: required(to.extract(object), isOptional(ref)), ref };
  }
  if (selector === undefined) return unchanged;
  for await (const object of reader.select(to, selector)) {
    return {
      value: required(to.extract(object), isOptional(selector)),
      ref: referenceTo(object, selector),
    };
  }
  if (isOptional(selector)) return { value: undefined, ref: undefined };
  throw new ProviderError('not-found', messageNoMatches);
}

/** States the namespace only if it differs from that of the referring object. */
export function referenceTo({ metadata }: KubeObject, { namespace }: Selector) {
  return namespace === undefined ? { name: metadata.name } : { name: metadata.name, namespace };
}

function required(value: string | undefined, optional: boolean): string | undefined {
  if (value) return value;
  if (optional) return undefined;
  throw new ProviderError('not-found', messageNoValue);
}
