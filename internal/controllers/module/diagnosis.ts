/** The report of `doctor` on one resource, hop by hop from the resource to the external API. */
export interface Diagnosis {
  readonly mapping: string;
  /** No check is failed, waiting or skipped. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
}

/** `waiting`: an object is not ready yet; `warning`: works with limits; `skipped`: an earlier hop failed. */
export type CheckStatus = 'ok' | 'warning' | 'waiting' | 'failed' | 'skipped';

export interface Check {
  readonly hop: string;
  readonly status: CheckStatus;
  readonly object?: string;
  readonly cluster?: string;
  readonly detail: string;
  readonly field?: string;
  readonly remediation?: string;
}

/** The check of a hop that is not reached. */
export const skippedCheck = (hop: string): Check => ({
  hop,
  status: 'skipped',
  detail: 'an earlier hop is missing',
});
