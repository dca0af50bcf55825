import type { components } from '../../../../../../apis/reconciler/external.openapi.gen.ts';
import type { Rollout } from '../../model/mothership.ts';
import {
  isFinal,
  type Operation,
  type Reconciliation,
  type ReconciliationInfo,
} from '../../model/reconciliation.ts';

type Schemas = components['schemas'];

export const reconciliationShape = (run: Reconciliation): Schemas['Reconciliation'] => ({
  // As the Go program has it.
  lock: run.finished ? `unlock-${run.scheduling_id}` : run.runtime_id,
  runtimeID: run.runtime_id,
  schedulingID: run.scheduling_id,
  created: run.created.toISOString(),
  updated: run.updated.toISOString(),
  status: run.status,
  finished: run.finished,
});

export const reconciliationInfo = (run: ReconciliationInfo): Schemas['ReconciliationInfo'] => ({
  runtimeID: run.runtime_id,
  schedulingID: run.scheduling_id,
  configVersion: run.config_version,
  created: run.created.toISOString(),
  updated: run.updated.toISOString(),
  status: run.status,
  finished: run.finished,
  operations: run.operations.map(operationShape),
});

const operationShape = (operation: Operation): Schemas['Operation'] => ({
  priority: operation.priority,
  schedulingID: operation.scheduling_id,
  correlationID: operation.correlation_id,
  component: operation.component,
  state: operation.state,
  reason: operation.reason ?? '',
  created: operation.created.toISOString(),
  updated: operation.updated.toISOString(),
  type: operation.type,
  retries: operation.retries,
  ...(waits(operation) ? { nextAttempt: operation.next_attempt_at.toISOString() } : {}),
  ...(operation.progress === null ? {} : { progress: operation.progress }),
});

const waits = ({ state }: Operation): boolean =>
  !isFinal(state) && state !== 'in_progress' && state !== 'failed';

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
