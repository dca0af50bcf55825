import type { AuditEvent } from '../../control-planes/access.ts';

/** What an API server was asked, by what it costs it. */
export interface ApiRequests {
  /** GET and LIST. */
  readonly reads: number;
  readonly writes: number;
  /** Watches that were begun. */
  readonly watches: number;
  /** Requests by what they ask for: `get secrets`, `update kymainstancemappings/status`. */
  readonly byKind: Readonly<Record<string, number>>;
}

/** Counts requests as their API server recorded them. Refused ones count as well: they cost the same. */
export function countApiRequests(events: readonly AuditEvent[]): ApiRequests {
  // A watch has a second event when it ends.
  const begun = events.filter(({ verb, stage }) => verb !== 'watch' || stage === 'ResponseStarted');
  const byKind: Record<string, number> = {};
  for (const event of begun) byKind[kindOf(event)] = (byKind[kindOf(event)] ?? 0) + 1;
  const count = (matches: (verb: string) => boolean) => begun.filter(({ verb }) => matches(verb)).length;
  const isRead = (verb: string) => verb === 'get' || verb === 'list';
  return {
    reads: count(isRead),
    writes: count((verb) => !isRead(verb) && verb !== 'watch'),
    watches: count((verb) => verb === 'watch'),
    byKind,
  };
}

function kindOf({ verb, objectRef, requestURI }: AuditEvent): string {
  if (objectRef?.resource === undefined) return `${verb} ${requestURI.replace(/\?.*/, '')}`;
  const { resource, subresource } = objectRef;
  return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** Watches that were begun in `events` and are open at their end. */
export function openWatches(events: readonly AuditEvent[]): number {
  const granted = events.filter(
    ({ verb, responseStatus }) => verb === 'watch' && responseStatus?.code === 200,
  );
  const begun = granted.filter(({ stage }) => stage === 'ResponseStarted').length;
  return begun - (granted.length - begun);
}
