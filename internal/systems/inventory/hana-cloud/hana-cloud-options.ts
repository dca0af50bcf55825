import type { ApiSessionsOptions } from '../../../framework/http/index.ts';

export interface HanaCloudOptions extends Omit<ApiSessionsOptions, 'system' | 'apiName' | 'fieldNames'> {
  /** How long calls may use a list of an earlier call, in ms. Default 5000. */
  readonly listFreshMs?: number;
}
