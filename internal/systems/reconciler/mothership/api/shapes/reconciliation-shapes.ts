import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { Operation, Reconciliation, ReconciliationInfo } from '../../model/reconciliation.ts';
import type { Rollout } from '../../model/rollouts.ts';

type Schemas = components['schemas'];

export const reconciliationShape = (run: Reconciliation): Schemas['Reconciliation'] => ({
  lock: run.lock,
  runtimeID: run.runtimeId,
  schedulingID: run.schedulingId,
  created: run.created.toISOString(),
  updated: run.updated.toISOString(),
  status: run.status,
  finished: run.finished,
});

export const reconciliationInfo = (run: ReconciliationInfo): Schemas['ReconciliationInfo'] => ({
  runtimeID: run.runtimeId,
  schedulingID: run.schedulingId,
  configVersion: run.configVersion,
  created: run.created.toISOString(),
  updated: run.updated.toISOString(),
  status: run.status,
  finished: run.finished,
  operations: run.operations.map(operationShape),
});

const operationShape = (operation: Operation): Schemas['Operation'] => ({
  priority: operation.priority,
  schedulingID: operation.schedulingId,
  correlationID: operation.correlationId,
  component: operation.component,
  state: operation.state,
  reason: operation.reason ?? '',
  created: operation.created.toISOString(),
  updated: operation.updated.toISOString(),
  type: operation.type,
  retries: operation.retries,
  ...(operation.nextAttemptAt === undefined ? {} : { nextAttempt: operation.nextAttemptAt.toISOString() }),
  ...(operation.progress === undefined || operation.progress === null
    ? {}
    : { progress: operation.progress }),
});

export const rolloutShape = (rollout: Rollout): Schemas['Rollout'] => ({
  id: rollout.id,
  kind: rollout.kind,
  name: rollout.name,
  reason: rollout.reason,
  clusters: rollout.clusters,
  failedClusters: rollout.failedClusters,
  heldClusters: rollout.heldClusters,
  paused: rollout.resumedAt === undefined,
  pausedAt: rollout.pausedAt.toISOString(),
  ...(rollout.resumedAt === undefined ? {} : { resumedAt: rollout.resumedAt.toISOString() }),
  ...(rollout.resumedBy === undefined ? {} : { resumedBy: rollout.resumedBy }),
});
