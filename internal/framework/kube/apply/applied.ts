import { parseBoundedJson } from '../../base/json/json-text.ts';
import { isObject, ownMember } from '../../base/json/json-value.ts';
import type { KubeObject } from '../object/object.ts';
import { mergePatch } from './patches.ts';

/** The annotation in which `kubectl apply` stores the last manifest. */
export const annotationLastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations of an object together have 256 KiB at most. */
const LAST_APPLIED_LIMITS = { maxLength: 256 * 1024, maxDepth: 64, maxValues: 100_000 };

/**
 * The custom resource after `kubectl apply` of the manifest: fields of the manifest are set, fields that only the last
 * applied manifest had are removed, all other fields stay.
 */
export function applied<T extends KubeObject>(manifest: T, live: T): T {
  const wanted = withoutStatus(manifest);
  const patched = mergePatch(live, removals(withoutStatus(lastApplied(live)), wanted));
  return mergePatch(patched, wanted) as T;
}

/** A manifest neither sets nor removes the status. */
function withoutStatus(manifest: unknown): object {
  const { status: _, ...others } = isObject(manifest) ? manifest : {};
  return others;
}

function lastApplied({ metadata }: KubeObject): unknown {
  const text = metadata.annotations?.[annotationLastApplied];
  if (text === undefined) return undefined;
  try {
    return parseBoundedJson(text, LAST_APPLIED_LIMITS);
  } catch {
    // kubectl would fail here; a plan without removals is more useful.
    return undefined;
  }
}

/** A merge patch that removes what `before` has and `after` has not. */
function removals(before: unknown, after: unknown): Record<string, unknown> {
  if (!isObject(before) || !isObject(after)) return {};
  const patch = Object.entries(before).flatMap(([name, old]): [string, unknown][] => {
    const kept = ownMember(after, name);
    if (kept === undefined) return [[name, null]];
    const inner = removals(old, kept);
    return Object.keys(inner).length > 0 ? [[name, inner]] : [];
  });
  return Object.fromEntries(patch);
}
