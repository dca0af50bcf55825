import { type ApiRequests, countApiRequests, openWatches, receivedAt } from '../measure/api-requests.ts';
import { auditTrail } from '../measure/audit-trail.ts';
import type { BenchEnvironment, PlaneName, Requester } from './environment.ts';

/** What one requester has sent since a mark, as the API servers recorded it. */
export interface Traffic {
  readonly management: ApiTraffic;
  readonly kyma: ApiTraffic;
  readonly hana: HanaRequests;
}

export interface ApiTraffic extends ApiRequests {
  /** Watches opened since then and still open, by collection. */
  readonly openWatches: ReadonlyMap<string, number>;
  /** Times of the requests that `byKind` counts under this name, in ms since the epoch. */
  receivedAt(kind: string): number[];
}

export interface HanaRequests {
  readonly tokens: number;
  readonly lists: number;
  readonly posts: number;
  /** Calls under way at a time, tokens included. */
  readonly mostInFlight: number;
}

/** Sets a mark; each call of the returned function counts what was sent since then. */
export async function watchTraffic(
  { planes, simulator }: BenchEnvironment,
  requester: Requester,
): Promise<() => Promise<Traffic>> {
  const trails = { management: auditTrail(planes.management), kyma: auditTrail(planes.kyma) };
  const marks: Readonly<Record<PlaneName, number>> = {
    management: await trails.management.mark(),
    kyma: await trails.kyma.mark(),
  };
  const after = simulator.requests().at(-1)?.id ?? 0;
  const sentTo = async (plane: PlaneName): Promise<ApiTraffic> => {
    const events = await trails[plane].since(marks[plane], requester);
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
