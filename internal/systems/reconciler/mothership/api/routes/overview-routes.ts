import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { Clock } from '../../../../../framework/base/time/clock.ts';
import type { Mothership } from '../../model/mothership.ts';
import { HISTORY_WINDOWS } from '../../model/overview.ts';
import { badRequest } from '../request/api-error.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { Caller } from '../request/caller.ts';
import type { Route } from '../request/route.ts';
import { componentLoad, failureGroup, historyBucket, runningOperation } from '../shapes/overview-shapes.ts';
import { rolloutShape } from '../shapes/reconciliation-shapes.ts';
import { withinBytes } from '../shapes/within-bytes.ts';

export interface OverviewRoutesOptions extends Pick<Mothership, 'overview' | 'rollouts'> {
  readonly clock: Clock;
}

type Overview = Omit<components['schemas']['Overview'], 'user' | 'mayChange'>;

/** Pages that many operators look at ask together for one result in this time, in ms. */
const SHARED_MS = 1000;
/** Of each list. */
const MAX_BYTES = 512 * 1024;
/** What costs more, and changes slowly. */
const SLOW_MS = 10_000;
const HISTORY_MS = { hour: 10_000, day: 120_000, week: 600_000 } as const;

export function overviewRoutes({ overview, rollouts, clock }: OverviewRoutesOptions): readonly Route[] {
  const shared = <T>(forMs: number, read: () => Promise<T>): (() => Promise<T>) => {
    let last: { readonly at: number; readonly result: Promise<T> } | undefined;
    return () => {
      const now = clock.monotonic();
      if (last === undefined || now - last.at >= forMs) {
        const result = read();
        last = { at: now, result };
        result.catch(() => {
          last = undefined;
        });
      }
      return last.result;
    };
  };
  const counted = shared(SLOW_MS, () => overview.components());
  const load = shared(SLOW_MS, async () => (await overview.load()).map(componentLoad));
  const histories = Object.fromEntries(
    HISTORY_WINDOWS.map((window) => [
      window,
      shared(HISTORY_MS[window], async () => (await overview.history(window)).map(historyBucket)),
    ]),
  );
  const current = shared(SHARED_MS, async (): Promise<Overview> => {
    const [statuses, groups, versions, counts, running, failures, paused] = await Promise.all([
      overview.statuses(),
      overview.groups(),
      overview.versions(),
      counted(),
      overview.running(),
      overview.failures(),
      rollouts.list(),
    ]);
    return {
      time: new Date(clock.now()).toISOString(),
      statuses,
      groups,
      versions: [...withinBytes(versions, MAX_BYTES)],
      components: counts,
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
  });
  const history = async (request: ApiRequest) => {
    const window = request.parameter('window') ?? 'hour';
    const read = histories[window];
    if (read === undefined) throw badRequest(`window: want one of ${HISTORY_WINDOWS.join(', ')}`);
    return { body: { window, buckets: await read() } };
  };
  return [
    {
      method: 'GET',
      path: '/overview',
      access: 'viewer',
      namesUser: true,
      handle: async ({ caller }: ApiRequest) => ({ body: { ...(await current()), ...rightsOf(caller) } }),
    },
    { method: 'GET', path: '/history', access: 'viewer', handle: history },
    { method: 'GET', path: '/load', access: 'viewer', handle: async () => ({ body: await load() }) },
  ];
}

/** Nobody without a name changes anything by the page: the record of a rollout says who resumed it. */
const rightsOf = ({ user, roles }: Caller) => ({
  user: user ?? '',
  mayChange: user !== undefined && roles.has('admin'),
});
