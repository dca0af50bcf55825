import type { RequestRecord } from '../../simulators/hana-cloud/journal.ts';
import type { MappingKey } from '../../simulators/hana-cloud/store.ts';

/** A request for a change of one mapping, as HANA Cloud saw it. */
export interface Change {
  /** Its `mappingKey`. */
  readonly mapping: string;
  /** The token of its process. */
  readonly process: number;
  readonly what: string;
  /** In whole ms; `until` is when it was completed, or the client disconnected. */
  readonly from: number;
  readonly until: number;
}

/** The changes among the requests by their mapping, in the order in which they came. */
export function changesByMapping(requests: readonly RequestRecord[]): ReadonlyMap<string, readonly Change[]> {
  return Map.groupBy(
    requests.flatMap((request) => changeOf(request) ?? []),
    ({ mapping }) => mapping,
  );
}

/** Pairs of changes of one mapping that overlapped in time, as text. */
export function overlaps(changes: ReadonlyMap<string, readonly Change[]>): string[] {
  return [...changes.values()].flatMap((ofOne) =>
    ofOne.flatMap((a, index) =>
      ofOne.slice(index + 1).flatMap((b) => {
        if (a.until <= b.from || b.until <= a.from) return [];
        return [`${a.mapping}: ${describeChange(a)} and ${describeChange(b)}`];
      }),
    ),
  );
}

/** Instance, cluster ID and namespace. */
export function mappingKey(instance = '', { primaryID, secondaryID }: MappingKey): string {
  return [instance, primaryID, secondaryID].join('/');
}

function changeOf({
  route,
  instance,
  query,
  body,
  token,
  at,
  durationMs,
}: RequestRecord): Change | undefined {
  if (route !== 'create' && route !== 'delete') return undefined;
  return {
    mapping: mappingKey(instance, (route === 'create' ? body : query) as MappingKey),
    process: token ?? 0,
    what: route,
    from: at,
    until: Math.floor(at + (durationMs ?? Number.POSITIVE_INFINITY)),
  };
}

const describeChange = ({ what, process, from, until }: Change) =>
  `${what} by ${process} from ${from} to ${until}`;
