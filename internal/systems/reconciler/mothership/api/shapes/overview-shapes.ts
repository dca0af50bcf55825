import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { ComponentLoad, FailureGroup, HistoryBucket, RunningOperation } from '../../model/overview.ts';

type Schemas = components['schemas'];

export const runningOperation = (operation: RunningOperation): Schemas['RunningOperation'] => ({
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

export const failureGroup = (group: FailureGroup): Schemas['FailureGroup'] => ({
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

export const historyBucket = (bucket: HistoryBucket): Schemas['HistoryBucket'] => ({
  start: bucket.start.toISOString(),
  ready: bucket.ready,
  failed: bucket.failed,
  deleted: bucket.deleted,
  ...times(bucket),
});

export const componentLoad = (load: ComponentLoad): Schemas['ComponentLoad'] => ({
  component: load.component,
  waiting: load.waiting,
  running: load.running,
  ...times(load),
  ...(load.workers === undefined ? {} : { workers: load.workers, busyWorkers: load.busyWorkers ?? 0 }),
});
