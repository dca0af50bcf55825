import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { Clock } from '../../../../../framework/base/index.ts';
import type { Mothership, Rollouts } from '../../model/mothership.ts';
import {
  type ComponentLoad,
  type FailureGroup,
  HISTORY_WINDOWS,
  type HistoryBucket,
  type RunningOperation,
} from '../../model/overview.ts';
import { type ApiRequest, badRequest, type Caller, type Route } from '../api-request.ts';
import { type ChangeFeed, EVENT_DELAY_MS } from '../change-feed.ts';
import { rolloutShape, withinBytes } from '../shapes.ts';
import { required } from './parameters.ts';

interface OverviewRoutesOptions extends Pick<Mothership, 'overview' | 'rollouts'> {
  readonly clock: Clock;
}

type Overview = Omit<components['schemas']['Overview'], 'user' | 'mayChange'>;

/** Pages that many operators look at ask together for one result in this time, in ms. Less than the delay of `change`. */
const SHARED_MS = EVENT_DELAY_MS / 2;
/** Of each list. */
const MAX_BYTES = 512 * 1024;
/** Longer intervals of charts cost more, and move less. */
const HISTORY_MS = { hour: SHARED_MS, day: 120_000, week: 600_000 } as const;

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
  const load = shared(SHARED_MS, async () => (await overview.load()).map(componentLoad));
  const histories = Object.fromEntries(
    HISTORY_WINDOWS.map((window) => [
      window,
      shared(HISTORY_MS[window], async () => (await overview.history(window)).map(historyBucket)),
    ]),
  );
  const current = shared(SHARED_MS, async (): Promise<Overview> => {
    const [{ statuses, groups, versions, components }, running, failures, paused] = await Promise.all([
      overview.counts(),
      overview.running(),
      overview.failures(),
      rollouts.list(),
    ]);
    return {
      time: new Date(clock.now()).toISOString(),
      statuses: [...statuses],
      groups: [...groups],
      versions: [...withinBytes(versions, MAX_BYTES)],
      components: [...withinBytes(components, MAX_BYTES)],
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
  const history = async (window: string) => {
    const read = histories[window];
    if (read === undefined) throw badRequest(`window: want one of ${HISTORY_WINDOWS.join(', ')}`);
    return { window, buckets: await read() };
  };
  const all = async (request: ApiRequest) => {
    const window = request.parameter('window');
    const [clusters, runs] = await Promise.all([
      current(),
      window === undefined ? undefined : history(window),
    ]);
    const body = { ...clusters, ...rightsOf(request.caller) };
    return { body: runs === undefined ? body : { ...body, history: runs } };
  };
  return [
    { method: 'GET', path: '/overview', access: 'viewer', namesUser: true, handle: all },
    {
      method: 'GET',
      path: '/history',
      access: 'viewer',
      handle: async (request) => ({ body: await history(request.parameter('window') ?? 'hour') }),
    },
    { method: 'GET', path: '/load', access: 'viewer', handle: async () => ({ body: await load() }) },
  ];
}

/** What a page reads again when it is told to. */
export const eventRoute = (feed: ChangeFeed): Route => ({
  method: 'GET',
  path: '/events',
  access: 'viewer',
  namesUser: true,
  handle: async ({ caller, address, signal }) => ({
    events: feed.open(caller.user === undefined ? `address ${address}` : `user ${caller.user}`, signal),
  }),
});

/** Nobody without a name changes anything by the page: the record of a rollout says who resumed it. */
const rightsOf = ({ user, roles }: Caller) => ({
  user: user ?? '',
  mayChange: user !== undefined && roles.has('admin'),
});

/** For records of what an unknown user did. */
const UNKNOWN_USER = 'unknown';

export function rolloutRoutes({ rollouts }: { readonly rollouts: Rollouts }): readonly Route[] {
  const list = async () => ({ body: (await rollouts.list()).map(rolloutShape) });
  const resume = async (request: ApiRequest) => {
    const user = request.caller.user ?? UNKNOWN_USER;
    return { body: rolloutShape(await rollouts.resume(required(request, 'id'), user)) };
  };
  return [
    { method: 'GET', path: '/rollouts', access: 'viewer', handle: list },
    { method: 'POST', path: '/rollouts/:id/resume', access: 'admin', audited: true, handle: resume },
  ];
}

type Schemas = components['schemas'];

const runningOperation = (operation: RunningOperation): Schemas['RunningOperation'] => ({
  runtimeID: operation.runtime_id,
  name: operation.runtimeName,
  schedulingID: operation.scheduling_id,
  correlationID: operation.correlation_id,
  component: operation.component,
  type: operation.type,
  state: operation.state,
  attempts: operation.attempts,
  retries: operation.retries,
  since: operation.since.toISOString(),
  ...(operation.reason === null ? {} : { reason: operation.reason }),
  ...(operation.progress === null ? {} : { progress: operation.progress }),
});

const failureGroup = (group: FailureGroup): Schemas['FailureGroup'] => ({
  component: group.component,
  kymaVersion: group.kymaVersion,
  reason: group.reason,
  clusters: group.clusters,
  retrying: group.retrying,
  named: group.named.map(({ runtimeId, runtimeName }) => ({ runtimeID: runtimeId, name: runtimeName })),
  ...(group.since === undefined ? {} : { since: group.since.toISOString() }),
  ...(group.nextRun === undefined ? {} : { nextRun: group.nextRun.toISOString() }),
});

const times = ({ p50Ms, p95Ms }: Pick<HistoryBucket, 'p50Ms' | 'p95Ms'>) => ({
  ...(p50Ms === undefined ? {} : { p50: Math.round(p50Ms) }),
  ...(p95Ms === undefined ? {} : { p95: Math.round(p95Ms) }),
});

const historyBucket = (bucket: HistoryBucket): Schemas['HistoryBucket'] => ({
  start: bucket.start.toISOString(),
  ready: bucket.ready,
  failed: bucket.failed,
  deleted: bucket.deleted,
  ...times(bucket),
});

const componentLoad = (load: ComponentLoad): Schemas['ComponentLoad'] => ({
  component: load.component,
  waiting: load.waiting,
  running: load.running,
  ...times(load),
  ...(load.workers === undefined ? {} : { workers: load.workers, busyWorkers: load.busyWorkers ?? 0 }),
});
