/** What component reconcilers report about an operation. */
export const CALLBACK_STATUSES = ['notstarted', 'running', 'failed', 'success', 'error'] as const;
export type CallbackStatus = (typeof CALLBACK_STATUSES)[number];

export interface Callback {
  readonly schedulingId: string;
  readonly correlationId: string;
  /** The `token` of the callback URL, as received. */
  readonly token: string | undefined;
  readonly status: CallbackStatus;
  /** Why it failed; empty if it did not. */
  readonly error: string;
  readonly retryId: string;
  readonly processingDurationMs: number;
  /** Any JSON within the limits of the server. Undefined: unchanged. */
  readonly progress?: unknown;
}

/** `repeated`: the operation has ended with this result already; nothing was changed. */
export type CallbackResult = 'applied' | 'repeated';
