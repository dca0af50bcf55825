import { type ApiRequests, countApiRequests, openWatches, receivedAt } from '../measure/api-requests.ts';
import { auditTrail } from '../measure/audit-trail.ts';
import type { Asker, Landscape, PlaneName } from './environment.ts';

/** What one asker has sent since a moment, as the servers that were asked recorded it. */
export interface Traffic {
  readonly management: ApiTraffic;
  readonly kyma: ApiTraffic;
  readonly hana: HanaRequests;
}

export interface ApiTraffic extends ApiRequests {
  /** Watches that were begun since then and have not ended: how many of each collection. */
  readonly openWatches: ReadonlyMap<string, number>;
  /** When the requests came that `byKind` counts under this name, in ms since the epoch. */
  receivedAt(kind: string): number[];
}

export interface HanaRequests {
  readonly tokens: number;
  readonly lists: number;
  readonly posts: number;
  /** Calls under way at a time, tokens included. */
  readonly mostInFlight: number;
}

/** Begins to look; each call of the returned function tells what was sent until then. */
export async function watchTraffic(
  { planes, simulator }: Landscape,
  asker: Asker,
): Promise<() => Promise<Traffic>> {
  const trails = { management: auditTrail(planes.management), kyma: auditTrail(planes.kyma) };
  const marks: Readonly<Record<PlaneName, number>> = {
    management: await trails.management.mark(),
    kyma: await trails.kyma.mark(),
  };
  const after = simulator.requests().at(-1)?.id ?? 0;
  const sentTo = async (plane: PlaneName): Promise<ApiTraffic> => {
    const events = await trails[plane].since(marks[plane], asker);
    return {
      ...countApiRequests(events),
      openWatches: openWatches(events),
      receivedAt: (kind) => receivedAt(events, kind),
    };
  };
  return async () => {
    const calls = simulator.requests({ after });
    const [management, kyma] = await Promise.all([sentTo('management'), sentTo('kyma')]);
    const count = (route: string) => calls.filter((call) => call.route === route).length;
    return {
      management,
      kyma,
      hana: {
        tokens: count('token'),
        lists: count('list'),
        posts: count('create'),
        mostInFlight: calls.reduce((most, { inFlight }) => Math.max(most, inFlight), 0),
      },
    };
  };
}
