import { type KubeObject, wasDeleted } from '../../kube/object/object.ts';
import { isAlways, isOptional, type ManyField, type Reference, type ResolvedMany } from './reference.ts';
import { referenceTo } from './resolve-one.ts';
import type { TargetReader } from './target-reader.ts';

/** As `resolveOne`, for each reference and each object that a selector matches. */
export async function resolveMany<T extends KubeObject>(
  { values = [], refs: stored = [], selector, to }: ManyField<T>,
  from: KubeObject,
  reader: TargetReader,
): Promise<ResolvedMany> {
  const reselect = isAlways(selector);
  const refs = reselect ? [] : stored;
  const always = selector === undefined ? refs.some(isAlways) : reselect;
  const unchanged = { values, refs: stored };
  if (wasDeleted(from) || (values.length > 0 && !always)) return unchanged;
  const found = new Map<string, Reference>();
  /** Omitted if it is empty and optional. */
  const note = (object: T, ref: Reference, optional: boolean) => {
    const value = to.extract(object);
    if (value) found.set(value, ref);
    else if (!optional) throw reader.hasNoValue(to, object);
  };
  if (refs.length > 0) {
    for (const ref of refs) {
      const object = await reader.get(to, ref, isOptional(ref));
      if (object !== undefined) note(object, ref, isOptional(ref));
    }
    // Their order is that of their owner, who would restore it.
    return { values: [...found.keys()], refs: stored };
  }
  if (selector === undefined) return unchanged;
  for await (const object of reader.select(to, selector)) {
    note(object, referenceTo(object, selector), isOptional(selector));
  }
  if (found.size === 0 && !isOptional(selector)) throw reader.matchesNothing();
  return sorted(found);
}

function sorted(found: ReadonlyMap<string, Reference>): ResolvedMany {
  const entries = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return { values: entries.map(([value]) => value), refs: entries.map(([, ref]) => ref) };
}
