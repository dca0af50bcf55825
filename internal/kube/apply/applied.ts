import { parseBoundedJson } from '../../base/json/bounded-json.ts';
import { ownMember } from '../../base/json/json-field.ts';
import type { KubeObject } from '../object/object.ts';
import { mergePatch } from './merge-patch.ts';

/** Where `kubectl apply` keeps what it applied last. */
export const annotationLastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** All annotations of an object together have 256 KiB at most. */
const LAST_APPLIED_LIMITS = { maxLength: 256 * 1024, maxDepth: 64, maxValues: 100_000 };

/**
 * The object as `kubectl apply` would make it of a custom resource: what the manifest has goes over what is there, and
 * what the manifest had when it was last applied, and has no more, goes. Fields of others stay.
 */
export function applied<T extends KubeObject>(manifest: T, live: T): T {
  const { status: _, ...wanted } = manifest as T & { status?: unknown };
  const patched = mergePatch(live, removals(lastApplied(live), wanted));
  return mergePatch(patched, wanted) as T;
}

function lastApplied({ metadata }: KubeObject): unknown {
  const text = metadata.annotations?.[annotationLastApplied];
  if (text === undefined) return undefined;
  try {
    return parseBoundedJson(text, LAST_APPLIED_LIMITS);
  } catch {
    // Somebody else wrote it; kubectl would stop here, and who asks for a plan is better served without.
    return undefined;
  }
}

/** A merge patch that takes away what `before` has and `after` has not. */
function removals(before: unknown, after: unknown): Record<string, unknown> {
  if (!isRecord(before) || !isRecord(after)) return {};
  const patch = Object.entries(before).flatMap(([name, old]): [string, unknown][] => {
    // Nobody who applies manifests removes a status.
    if (name === 'status') return [];
    const kept = ownMember(after, name);
    if (kept === undefined) return [[name, null]];
    const inner = removals(old, kept);
    return Object.keys(inner).length > 0 ? [[name, inner]] : [];
  });
  return Object.fromEntries(patch);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
