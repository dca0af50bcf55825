import type { ApiSessionsOptions } from '../../http/index.ts';

export interface HanaCloudOptions extends Omit<ApiSessionsOptions, 'system' | 'apiName' | 'fieldNames'> {
  /** How long a list can be enough for others than those it was asked for, in ms. Default 5000. */
  readonly listFreshMs?: number;
}
