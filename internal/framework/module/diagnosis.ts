/** The report of `doctor` on one resource, with a check of each part from the resource to the external API. */
export interface Diagnosis {
  readonly mapping: string;
  /** No check is failed, waiting or skipped. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
}

/** `waiting`: an object is not ready yet; `warning`: works with limits; `skipped`: an earlier check failed. */
export type CheckStatus = 'ok' | 'warning' | 'waiting' | 'failed' | 'skipped';

export interface Check {
  readonly name: string;
  readonly status: CheckStatus;
  readonly object?: string;
  readonly cluster?: string;
  readonly detail: string;
  readonly field?: string;
  readonly remediation?: string;
}

/** The field at fault, and what to do about it. */
export type Remedy = Pick<Check, 'field' | 'remediation'>;

/** A check that was not made. */
export const skippedCheck = (name: string): Check => ({
  name,
  status: 'skipped',
  detail: 'an earlier check failed',
});
