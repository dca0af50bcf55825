import { isDeepStrictEqual } from 'node:util';
import type { ObjectEvent } from '../record-objects.ts';

/**
 * The writes of the provider to composed resources, each `<kind>/<name>`: it writes their status, its finalizer and their external name;
 * everything else is from Crossplane.
 */
export function providerWrites(events: readonly ObjectEvent[]): string[] {
  const last = new Map<string, unknown>();
  const writes: string[] = [];
  for (const { type, object } of events) {
    const { kind, metadata, status } = object;
    const { uid, name, finalizers, annotations = {} } = metadata;
    const own = [status, finalizers, annotations['crossplane.io/external-name']];
    const before = last.has(uid) ? last.get(uid) : [undefined, undefined, undefined];
    if (type !== 'DELETED' && !isDeepStrictEqual(own, before)) writes.push(`${kind}/${name}`);
    last.set(uid, own);
  }
  return writes;
}
