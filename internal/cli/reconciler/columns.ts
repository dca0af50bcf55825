import { formatDuration } from '../../base/time/duration.ts';
import type {
  ClusterSummary,
  Operation,
  Reconciliation,
  StatusChange,
} from '../../clients/mothership/mothership-client.ts';
import { age, type Columns, due } from './output.ts';

/** @param nowMs ages are counted until then */
export const clusterColumns = (nowMs: number): Columns<ClusterSummary> => ({
  headings: ['RUNTIME', 'STATUS', 'SINCE', 'VERSION', 'ERRORS', 'NEXT RUN'],
  wideHeadings: ['NAME', 'GLOBAL ACCOUNT', 'PLAN', 'CONFIGURATION'],
  cells: ({ runtimeID, status, since, kymaVersion, errors, nextRun, ...wide }) => [
    runtimeID,
    status,
    age(since, nowMs),
    kymaVersion,
    errors,
    due(nextRun, nowMs),
    wide.name,
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
