import { ProviderError } from '../../base/errors.ts';

export interface NoAnswerDetails {
  /** Metric label: `timeout`, `connection_refused`, … */
  readonly code: string;
  /** False: the request provably never left. */
  readonly sent: boolean;
  /** The caller's signal ended the call; `cause` is its reason. */
  readonly aborted: boolean;
  readonly cause?: unknown;
}

/** A call that ended without a whole answer. Stays within this folder unless the call was safe to repeat. */
export class NoAnswerError extends ProviderError {
  readonly code: string;
  readonly sent: boolean;
  readonly aborted: boolean;

  constructor(message: string, { code, sent, aborted, cause }: NoAnswerDetails) {
    // Causes from below may hold headers or bodies; only the caller's own reason is passed on.
    super('transient', message, aborted ? { cause } : {});
    this.code = code;
    this.sent = sent;
    this.aborted = aborted;
  }
}
