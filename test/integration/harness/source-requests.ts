import type { AuditEvent, ControlPlaneAccess } from '../../../hack/control-planes/access/access.ts';

/** Requests of one user about the objects of one namespace, as the API server recorded them. */
export interface SourceRequests {
  /** A watch counts once. */
  readonly all: readonly AuditEvent[];
  readonly gets: readonly AuditEvent[];
  /** Watches that were granted. */
  readonly watches: readonly AuditEvent[];
  /** How many of them are still open. */
  readonly openWatches: number;
}

export async function sourceRequests(
  plane: ControlPlaneAccess,
  { user, namespace }: { readonly user: string; readonly namespace: string },
): Promise<SourceRequests> {
  const events = (await plane.auditEvents(namespace)).filter(
    (event) => event.user.username === user && event.objectRef?.namespace === namespace,
  );
  // A watch is recorded when it begins and when it ends, even one that is refused.
  const all = events.filter(({ verb, stage }) => verb !== 'watch' || stage === 'ResponseStarted');
  const granted = events.filter(
    ({ verb, responseStatus }) => verb === 'watch' && responseStatus?.code === 200,
  );
  const watches = granted.filter(({ stage }) => stage === 'ResponseStarted');
  return {
    all,
    gets: all.filter(({ verb }) => verb === 'get'),
    watches,
    openWatches: 2 * watches.length - granted.length,
  };
}

/** `secrets/hana-admin` of each, in their order. */
export const objectsIn = (requests: readonly AuditEvent[]): string[] =>
  requests.map(({ objectRef }) => `${objectRef?.resource}/${objectRef?.name}`);
