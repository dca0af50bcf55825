export type OperationType = 'reconcile' | 'delete';

/**
 * States of an operation. `done` and `error` are final; `client_error` is a task that its component reconciler refused,
 * `orphan` one without a sign of life.
 */
export type OperationState = 'new' | 'in_progress' | 'failed' | 'client_error' | 'orphan' | 'done' | 'error';

/** Which custom resources the cleaner of a deletion removes. */
export type DeleteStrategy = 'system' | 'all';
