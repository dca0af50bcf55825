import type { RunEnvironment } from './run-environment.ts';

/**
 * The primary IDs of mappings that stay by a known limit of docs/reliability.md: a resource was deleted at the moment of its
 * first write, the API server removed it in spite of the finalizer, and HANA Cloud did not respond to the deletion of what had
 * been created for it meanwhile.
 */
export async function leftByKnownLimit(run: RunEnvironment): Promise<ReadonlySet<string>> {
  const { lane, sources } = run;
  if (!(await isResourceGone(run))) return new Set();
  const left = new Map<string, boolean>();
  for (const { route, status, body, query } of lane.environment.simulator.requests({
    instance: sources.instanceID,
  })) {
    if (route !== 'create' && route !== 'delete') continue;
    const { primaryID } = (route === 'create' ? body : query) as { primaryID: string };
    if (route === 'create') left.set(primaryID, false);
    else if (status === undefined) left.set(primaryID, true);
  }
  return new Set([...left].flatMap(([primaryID, isLeft]) => (isLeft ? [primaryID] : [])));
}

/** Whether a resource was gone after its deletion although the provider had not removed the finalizer. */
async function isResourceGone({ lane, resources }: RunEnvironment): Promise<boolean> {
  const events = await lane.environment.planes.management.auditEvents('mappings');
  return [...resources.values()].some(({ name }) => {
    const own = events.filter(({ objectRef }) => objectRef?.name === name);
    const deletion = own.find(({ verb }) => verb === 'delete');
    if (deletion === undefined) return false;
    const writes = own.filter(
      ({ verb, user }) => verb === 'update' && user.username !== deletion.user.username,
    );
    // The first of them stores the finalizer, and the last one removes it.
    const stored = writes.filter(
      ({ objectRef, responseStatus }) => objectRef?.subresource === undefined && responseStatus?.code === 200,
    );
    const isBefore = ({ requestReceivedTimestamp: at }: (typeof own)[number]) =>
      at < deletion.requestReceivedTimestamp;
    return (
      stored.length > 0 &&
      stored.every(isBefore) &&
      writes.some(({ responseStatus }) => responseStatus?.code === 404)
    );
  });
}
