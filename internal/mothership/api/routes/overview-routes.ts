import type { components } from '../../../../apis/reconciler/external.openapi.gen.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Mothership } from '../../model/mothership.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { Caller } from '../request/caller.ts';
import type { Route } from '../request/route.ts';
import { failureGroup, runningOperation } from '../shapes/overview-shapes.ts';
import { rolloutShape } from '../shapes/reconciliation-shapes.ts';
import { withinBytes } from '../shapes/within-bytes.ts';

export interface OverviewRoutesOptions extends Pick<Mothership, 'overview' | 'rollouts'> {
  readonly clock: Clock;
}

type Overview = Omit<components['schemas']['Overview'], 'user' | 'mayResume'>;

/** Pages that many operators look at ask together for one overview in this time, in ms. */
const SHARED_MS = 1000;
/** Of each list. */
const MAX_BYTES = 512 * 1024;

export function overviewRoutes({ overview, rollouts, clock }: OverviewRoutesOptions): readonly Route[] {
  const read = async (): Promise<Overview> => {
    const [statuses, versions, running, failures, paused] = await Promise.all([
      overview.statuses(),
      overview.versions(),
      overview.running(),
      overview.failures(),
      rollouts.list(),
    ]);
    return {
      time: new Date(clock.now()).toISOString(),
      statuses,
      versions: [...withinBytes(versions, MAX_BYTES)],
      runningOperations: running.count,
      operations: [...withinBytes(running.operations.map(runningOperation), MAX_BYTES)],
      failures: [...withinBytes(failures.map(failureGroup), MAX_BYTES)],
      rollouts: [
        ...withinBytes(
          paused.filter(({ resumedAt }) => resumedAt === undefined).map(rolloutShape),
          MAX_BYTES,
        ),
      ],
    };
  };
  let shared: { readonly at: number; readonly result: Promise<Overview> } | undefined;
  const current = (): Promise<Overview> => {
    const now = clock.monotonic();
    if (shared === undefined || now - shared.at >= SHARED_MS) {
      const result = read();
      shared = { at: now, result };
      result.catch(() => {
        shared = undefined;
      });
    }
    return shared.result;
  };
  return [
    {
      method: 'GET',
      path: '/overview',
      access: 'viewer',
      namesUser: true,
      handle: async ({ caller }: ApiRequest) => ({ body: { ...(await current()), ...rightsOf(caller) } }),
    },
  ];
}

/** Nobody without a name changes anything by the page: the record of a rollout says who resumed it. */
const rightsOf = ({ user, roles }: Caller) => ({
  user: user ?? '',
  mayResume: user !== undefined && roles.has('admin'),
});
