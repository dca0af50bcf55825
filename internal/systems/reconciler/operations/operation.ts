export type OperationType = 'reconcile' | 'delete';

/**
 * States of an operation. `done` and `error` are final; `client_error` is a task that its component reconciler refused,
 * `orphan` one without a sign of life.
 */
export type OperationState = 'new' | 'in_progress' | 'failed' | 'client_error' | 'orphan' | 'done' | 'error';

/** Which custom resources the cleaner of a deletion removes. */
export type DeleteStrategy = 'system' | 'all';

/**
 * A component reconciler that stops hands its tasks back: it reports `failed` with a reason that begins with this text, a part of
 * the protocol. The task did not end, and is sent again at once.
 */
const PREFIX = 'cancelled: ';

export const handedBackReason = (cause: string): string => `${PREFIX}${cause}`;

export const isHandedBack = (reason: string): boolean => reason.startsWith(PREFIX);

/** Names of components with `SKIP_COMPONENT_<NAME>` set to `true` or `1`, in any case: in lower case, with hyphens. */
export function skippedComponents(env: Readonly<Record<string, string | undefined>>): string[] {
  const prefix = 'SKIP_COMPONENT_';
  return Object.entries(env)
    .filter(([name, value = '']) => name.startsWith(prefix) && /^(true|1)$/i.test(value))
    .map(([name]) => name.slice(prefix.length).toLowerCase().replaceAll('_', '-'));
}

/** Features that a variable of the environment turns on, by the names of the Go program. */
type Feature =
  | 'DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS'
  | 'PROCESSING_DURATION_METRICS_ENABLED'
  | 'WORKERPOOL_OCCUPANCY_TRACKING_ENABLED';

/** Whether the variable is `true`, in any case, or `1`. */
export const isFeatureOn = (env: Readonly<Record<string, string | undefined>>, feature: Feature): boolean =>
  /^(true|1)$/i.test(env[feature] ?? '');
