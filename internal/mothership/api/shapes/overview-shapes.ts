import type { components } from '../../../../apis/reconciler/external.openapi.gen.ts';
import type { FailureGroup, RunningOperation } from '../../model/overview.ts';

type Schemas = components['schemas'];

export const runningOperation = (operation: RunningOperation): Schemas['RunningOperation'] => ({
  runtimeID: operation.runtimeId,
  schedulingID: operation.schedulingId,
  correlationID: operation.correlationId,
  component: operation.component,
  type: operation.type,
  state: operation.state,
  attempts: operation.attempts,
  retries: operation.retries,
  since: operation.since.toISOString(),
  ...(operation.reason === undefined ? {} : { reason: operation.reason }),
  ...(operation.progress === null || operation.progress === undefined
    ? {}
    : { progress: operation.progress }),
});

export const failureGroup = (group: FailureGroup): Schemas['FailureGroup'] => ({
  component: group.component,
  kymaVersion: group.kymaVersion,
  reason: group.reason,
  clusters: group.clusters,
  runtimeIDs: [...group.runtimeIds],
  ...(group.nextRun === undefined ? {} : { nextRun: group.nextRun.toISOString() }),
});
