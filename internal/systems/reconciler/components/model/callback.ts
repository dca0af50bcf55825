/** What a component reconciler reports about a task. `notstarted`, the state before the first report, is never sent. */
export type ReportedStatus = 'running' | 'failed' | 'success' | 'error';

/** One report, by the names of its JSON fields. */
export interface CallbackMessage {
  readonly status: ReportedStatus;
  /** Why it failed; empty if it did not. */
  readonly error: string;
  /** Of the attempt. */
  readonly retryID: string;
  /** In ms, since the task began. */
  readonly processingDuration: number;
  readonly progress?: Progress;
  /** The rendered objects of a dry run, as YAML. */
  readonly manifest?: string;
}

/** What an attempt is doing. */
export interface Progress {
  /** From 1. */
  readonly attempt: number;
  readonly message: string;
}

/**
 * What became of a report:
 *
 * - `delivered`    it is known
 * - `refused`      it is not understood, or cannot change anything any more; repeating it is useless
 * - `superseded`   the operation was sent to another worker, or is gone: the task must end
 * - `undelivered`  it may be repeated
 */
export type Delivery = 'delivered' | 'refused' | 'superseded' | 'undelivered';

/** Delivers a report. Never rejects. */
export type Callback = (message: CallbackMessage, signal: AbortSignal) => Promise<Delivery>;
