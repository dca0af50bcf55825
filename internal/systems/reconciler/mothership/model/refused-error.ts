import { type ErrorKind, ProviderError } from '../../../../framework/base/index.ts';

/**
 * Why a request is refused:
 *
 * - `not-found`      there is no such cluster, configuration, reconciliation, operation or rollout
 * - `invalid`        a field of the document cannot be stored
 * - `missing-token`  a callback without a valid token
 * - `stale-token`    a callback of an attempt that was given up
 * - `final`          the operation or reconciliation has ended
 * - `not-new`        the operation was sent already
 * - `running`        the cluster has a reconciliation that has not ended
 * - `mismatch`       component or size of a known worker pool differ
 * - `foreign`        a tenant names a cluster of another owner
 * - `busy`           as many registrations wait for clusters that do not answer as may do so
 */
export type Refusal =
  | 'not-found'
  | 'invalid'
  | 'missing-token'
  | 'stale-token'
  | 'final'
  | 'not-new'
  | 'running'
  | 'mismatch'
  | 'foreign'
  | 'busy';

/** A request that the mothership refuses, whatever the state of its database. */
export class RefusedError extends ProviderError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, message: string, options?: ErrorOptions) {
    super(KINDS[refusal], message, options);
    this.refusal = refusal;
  }
}

const KINDS: Readonly<Record<Refusal, ErrorKind>> = {
  'not-found': 'not-found',
  invalid: 'terminal',
  'missing-token': 'auth',
  'stale-token': 'conflict',
  final: 'conflict',
  'not-new': 'conflict',
  running: 'conflict',
  mismatch: 'terminal',
  foreign: 'auth',
  busy: 'throttled',
};
