/**
 * The reports of a task: it runs, an attempt failed, and at last its end. Each one is sent at once and repeated, so that the
 * mothership knows that the task is alive. The last one is repeated only until it is delivered, and never replaced: what
 * cannot be delivered becomes an orphan of the mothership.
 */
import { createBackoff, cutText, type Deps, ProviderError } from '../../../../framework/base/index.ts';

import { oneLine } from '../../../../framework/base/text/text.ts';
import type { RunnerSettings } from '../model/settings.ts';
import type { Callback, CallbackMessage, Delivery } from '../model/task.ts';

export interface HeartbeatOptions extends Pick<Deps, 'clock'> {
  readonly callback: Callback;
  readonly settings: Pick<RunnerSettings, 'statusIntervalMs' | 'deliveryTimeoutMs'>;
  /** Aborted when nothing more can be sent: the program ends. */
  readonly signal: AbortSignal;
}

export interface Heartbeat {
  /** An attempt begins. */
  running(retryId: string): void;
  /** An attempt failed; another one may follow. */
  failed(reason: string): void;
  /** What the attempt is doing; it is cut at 1,000 characters. */
  progress(message: string): void;
  /** The end of the task. Resolves when it is delivered, or given up. */
  end(last: LastReport): Promise<Delivery>;
  /** Aborted when the mothership has given the operation to another worker, or forgotten it. */
  readonly superseded: AbortSignal;
}

/** `failed` without an end of the operation: the task was cancelled, and may be sent again. */
export type LastReport =
  | { readonly status: 'success'; readonly manifest?: string }
  | { readonly status: 'failed' | 'error'; readonly reason: string };

interface Report {
  message: CallbackMessage;
  /** At least once, whether it was delivered or not. */
  isSent: boolean;
}

const MAX_PROGRESS = 1000;
/** Delay before progress is sent besides the repetitions, in ms. */
const PROGRESS_DELAY_MS = 5000;
/** Time that a report in flight has once the last one waits, in ms. */
const IN_FLIGHT_GRACE_MS = 2000;
/** Delay before the second delivery of a last report, in ms. */
const FIRST_REPEAT_MS = 1000;

export function createHeartbeat(options: HeartbeatOptions): Heartbeat {
  const { clock, callback, settings, signal } = options;
  const { statusIntervalMs, deliveryTimeoutMs } = settings;
  const began = clock.monotonic();
  const superseded = new AbortController();
  const backoff = createBackoff({ baseMs: FIRST_REPEAT_MS, maxMs: statusIntervalMs });
  /** Reports in their order. The first one is repeated until there is another one. */
  const reports: Report[] = [];
  let attempt = 0;
  let isEnding = false;
  let giveUpAt = Number.POSITIVE_INFINITY;
  let dueAt = Number.POSITIVE_INFINITY;
  let sentAt = Number.NEGATIVE_INFINITY;
  let inFlight: AbortController | undefined;
  let wake = (): void => undefined;
  let delivering: Promise<Delivery> | undefined;

  const due = (at: number) => {
    dueAt = Math.min(dueAt, at);
    delivering ??= deliver();
    wake();
  };
  const add = (message: CallbackMessage) => {
    if (isEnding) return;
    reports.push({ message, isSent: false });
    due(clock.monotonic());
  };
  const untilDue = async () => {
    while (!signal.aborted && clock.monotonic() < dueAt) {
      const woken = Promise.withResolvers<void>();
      wake = woken.resolve;
      const cancel = clock.after(Math.max(1, dueAt - clock.monotonic()), woken.resolve);
      await woken.promise;
      cancel();
    }
  };
  const send = async (report: CallbackMessage): Promise<Delivery> => {
    inFlight = new AbortController();
    sentAt = clock.monotonic();
    dueAt = Number.POSITIVE_INFINITY;
    const processingDuration = report.processingDuration || elapsed();
    const within = AbortSignal.any([signal, inFlight.signal]);
    const delivery = await callback({ ...report, processingDuration }, within);
    inFlight = undefined;
    return delivery;
  };
  const deliver = async (): Promise<Delivery> => {
    for (;;) {
      await untilDue();
      if (reports.length > 1 && reports[0]?.isSent) reports.shift();
      const [report] = reports;
      if (signal.aborted || report === undefined) return 'undelivered';
      report.isSent = true;
      const delivery = await send(report.message);
      if (delivery === 'superseded') {
        superseded.abort(
          new ProviderError('terminal', 'the operation was given to another worker, or removed'),
        );
        return delivery;
      }
      const isLast = isEnding && reports.length === 1;
      if (isLast && (delivery !== 'undelivered' || clock.monotonic() >= giveUpAt)) return delivery;
      // Once the mothership is out of reach, only the newest report is worth the time.
      if (delivery === 'undelivered') reports.splice(0, reports.length - 1);
      const delayMs = isLast ? backoff.next('') : statusIntervalMs;
      due(clock.monotonic() + (reports.at(-1)?.isSent ? delayMs : 0));
    }
  };
  const elapsed = () => Math.round(clock.monotonic() - began);
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });

  return {
    superseded: superseded.signal,
    running: (retryID) => {
      attempt++;
      add({ status: 'running', error: '', retryID, processingDuration: 0 });
    },
    failed: (reason) => {
      const { retryID = '' } = reports.at(-1)?.message ?? {};
      add({ status: 'failed', error: reason, retryID, processingDuration: 0 });
    },
    progress: (text) => {
      const report = reports.at(-1);
      if (isEnding || report?.message.status !== 'running') return;
      const progress = { attempt, message: cutText(oneLine(text), MAX_PROGRESS) };
      if (report.message.progress?.message === progress.message) return;
      report.message = { ...report.message, progress };
      due(sentAt + PROGRESS_DELAY_MS);
    },
    end: async (last) => {
      const { retryID = '' } = reports.at(-1)?.message ?? {};
      add({
        status: last.status,
        error: 'reason' in last ? last.reason : '',
        retryID,
        processingDuration: elapsed(),
        ...('manifest' in last && last.manifest !== undefined ? { manifest: last.manifest } : {}),
      });
      isEnding = true;
      giveUpAt = clock.monotonic() + deliveryTimeoutMs;
      const cancel = clock.after(IN_FLIGHT_GRACE_MS, () => inFlight?.abort());
      try {
        return (await delivering) ?? 'undelivered';
      } finally {
        cancel();
        signal.removeEventListener('abort', onAbort);
      }
    },
  };
}
