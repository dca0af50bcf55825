import { formatDuration } from '../../../../framework/base/index.ts';

import type {
  ClusterSummary,
  Operation,
  Reconciliation,
  Rollout,
  StatusChange,
} from '../../client/mothership-client.ts';
import { age, type Columns, due } from './output.ts';

/** @param nowMs ages are counted until then */
export const clusterColumns = (nowMs: number): Columns<ClusterSummary> => ({
  headings: ['NAME', 'RUNTIME', 'STATUS', 'SINCE', 'VERSION', 'ERRORS', 'NEXT RUN'],
  wideHeadings: ['SHOOT', 'GLOBAL ACCOUNT', 'PLAN', 'CONFIGURATION'],
  cells: ({ name, runtimeID, status, since, kymaVersion, errors, nextRun, held, ...wide }) => [
    name,
    runtimeID,
    status,
    age(since, nowMs),
    kymaVersion,
    errors,
    held ? 'held' : due(nextRun, nowMs),
    wide.shoot,
    wide.globalAccountID,
    wide.plan,
    wide.configurationVersion,
  ],
});

export const statusChangeColumns: Columns<StatusChange> = {
  headings: ['STARTED', 'STATUS', 'DURATION'],
  wideHeadings: [],
  // In nanoseconds; whole seconds are enough for people.
  cells: ({ started, status, duration }) => [
    started,
    status,
    formatDuration(Math.round(duration / 1e9) * 1000),
  ],
};

export const reconciliationColumns = (nowMs: number): Columns<Reconciliation> => ({
  headings: ['RECONCILIATION', 'STATUS', 'FINISHED', 'AGE'],
  wideHeadings: ['RUNTIME', 'CREATED', 'UPDATED'],
  cells: ({ schedulingID, status, finished, created, runtimeID, updated }) => [
    schedulingID,
    status,
    finished ? 'yes' : 'no',
    age(created, nowMs),
    runtimeID,
    created,
    updated,
  ],
});

export const operationColumns = (nowMs: number): Columns<Operation> => ({
  headings: ['PRIORITY', 'COMPONENT', 'TYPE', 'STATE', 'ATTEMPTS', 'NEXT', 'REASON'],
  wideHeadings: ['OPERATION', 'PROGRESS', 'UPDATED'],
  cells: ({ priority, component, type, state, retries, nextAttempt, reason, ...wide }) => [
    priority,
    component,
    type,
    state,
    retries,
    due(nextAttempt, nowMs),
    reason,
    wide.correlationID,
    wide.progress === undefined ? '' : JSON.stringify(wide.progress),
    wide.updated,
  ],
});

export const rolloutColumns = (nowMs: number): Columns<Rollout> => ({
  headings: ['KIND', 'NAME', 'STATE', 'SINCE', 'FAILED', 'HELD', 'RESUMED BY'],
  wideHeadings: ['ID', 'REASON', 'PAUSED', 'RESUMED'],
  cells: ({ kind, name, paused, pausedAt, resumedAt, failedClusters, clusters, heldClusters, ...wide }) => [
    kind,
    name,
    paused ? 'paused' : 'resumed',
    age(paused ? pausedAt : resumedAt, nowMs),
    `${failedClusters}/${clusters}`,
    heldClusters,
    wide.resumedBy,
    wide.id,
    wide.reason,
    pausedAt,
    resumedAt,
  ],
});
