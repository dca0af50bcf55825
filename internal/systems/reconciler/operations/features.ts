/** Features that a variable of the environment turns on, by the names of the Go program. */
export type Feature =
  | 'DEBUG_LOGGING_FOR_SPECIFIC_OPERATIONS'
  | 'PROCESSING_DURATION_METRICS_ENABLED'
  | 'WORKERPOOL_OCCUPANCY_TRACKING_ENABLED';

/** Whether the variable is `true`, in any case, or `1`. */
export const isFeatureOn = (env: Readonly<Record<string, string | undefined>>, feature: Feature): boolean =>
  /^(true|1)$/i.test(env[feature] ?? '');
