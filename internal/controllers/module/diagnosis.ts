/** What `doctor` found of one resource, hop by hop from the resource to the external API. */
export interface Diagnosis {
  readonly mapping: string;
  /** Nothing failed and nothing is waited for. */
  readonly healthy: boolean;
  readonly checks: readonly Check[];
}

/** `waiting`: others will bring it; `warning`: works, but not as well as it could; `skipped`: an earlier hop is missing. */
export type CheckStatus = 'ok' | 'warning' | 'waiting' | 'failed' | 'skipped';

export interface Check {
  readonly hop: string;
  readonly status: CheckStatus;
  readonly object?: string;
  readonly cluster?: string;
  readonly detail: string;
  readonly field?: string;
  readonly mend?: string;
}
