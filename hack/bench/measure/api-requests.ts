import type { AuditEvent } from '../../control-planes/access/access.ts';

/** Requests to an API server by cost. */
export interface ApiRequests {
  /** GET and LIST. */
  readonly reads: number;
  readonly writes: number;
  /** Opened watches. */
  readonly watches: number;
  /** Requests by verb and resource: `get secrets`, `update kymainstancemappings/status`. */
  readonly byKind: Readonly<Record<string, number>>;
}

/** Counts requests as their API server recorded them. Refused ones count as well: they cost the same. */
export function countApiRequests(events: readonly AuditEvent[]): ApiRequests {
  const byKind: Record<string, number> = {};
  const counts = { reads: 0, writes: 0, watches: 0 };
  for (const event of events) {
    const { verb, stage } = event;
    // A watch has a second event when it ends.
    if (verb === 'watch' && stage !== 'ResponseStarted') continue;
    counts[verb === 'get' || verb === 'list' ? 'reads' : verb === 'watch' ? 'watches' : 'writes']++;
    byKind[kindOf(event)] = (byKind[kindOf(event)] ?? 0) + 1;
  }
  return { ...counts, byKind };
}

/** Times of the requests that `byKind` counts under this name, in ms since the epoch, by the API server's clock. */
export const receivedAt = (events: readonly AuditEvent[], kind: string): number[] =>
  events
    .filter((event) => kindOf(event) === kind)
    .map(({ requestReceivedTimestamp }) => Date.parse(requestReceivedTimestamp));

function kindOf({ verb, objectRef, requestURI }: AuditEvent): string {
  if (objectRef?.resource === undefined) return `${verb} ${requestURI.replace(/\?.*/, '')}`;
  const { resource, subresource } = objectRef;
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/**
 * Watches that were opened in `events` and are open at their end, by collection. More than one of a collection is one
 * too many.
 */
export function openWatches(events: readonly AuditEvent[]): ReadonlyMap<string, number> {
  const open = new Map<string, number>();
  for (const { verb, stage, responseStatus, objectRef } of events) {
    if (verb !== 'watch' || responseStatus?.code !== 200) continue;
    const { resource = '', apiGroup, namespace } = objectRef ?? {};
    const collection = collectionIn(apiGroup === undefined ? resource : `${resource}.${apiGroup}`, namespace);
    const count = (open.get(collection) ?? 0) + (stage === 'ResponseStarted' ? 1 : -1);
    if (count === 0) open.delete(collection);
    else open.set(collection, count);
  }
  return open;
}

/** Names what a watch follows: `secrets in team-a`, `samples.example.org`. */
export const collectionIn = (resource: string, namespace: string | undefined): string =>
  namespace === undefined ? resource : `${resource} in ${namespace}`;
