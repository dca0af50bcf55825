import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { cloneJson } from '../../base/json/json-value.ts';
import { redact } from '../../base/text/redact.ts';
import type { Managed } from '../resource/managed.ts';
import { recordedExternalName } from '../resource/meta.ts';
import type { Operation } from './change-entry.ts';
import type { ChangeLog } from './change-log.ts';

/** The change log entries of one reconcile. They never fail or delay the reconcile. */
export interface ReconcileChanges {
  /** Keeps the resource for the entries of this reconcile: after Observe, before any change. */
  observed(resource: Managed): void;
  /** Starts to send the entry of an attempt; entries are sent in order. */
  attempted(operation: Operation, outcome: AttemptOutcome): void;
  /** Resolves when all entries are sent or have failed. */
  sent(): Promise<void>;
}

export interface AttemptOutcome {
  /** The error of the attempt. */
  readonly error?: unknown;
  readonly additionalDetails?: Readonly<Record<string, string>>;
}

export const noReconcileChanges: ReconcileChanges = {
  observed: () => undefined,
  attempted: () => undefined,
  sent: async () => undefined,
};

export interface ReconcileChangesOptions extends Pick<Deps, 'clock' | 'log'> {
  readonly changeLog: ChangeLog;
  /** Aborted at the end of the reconcile. */
  readonly signal: AbortSignal;
}

export function createReconcileChanges({
  changeLog,
  clock,
  log,
  signal,
}: ReconcileChangesOptions): ReconcileChanges {
  let snapshot: Managed | undefined;
  // Sent in parallel to the reconcile, which does not wait before it stores the result of Create.
  let sent = Promise.resolve();
  return {
    observed: (resource) => {
      snapshot = cloneJson(resource);
    },
    attempted: (operation, { error, additionalDetails = {} }) => {
      if (snapshot === undefined) return;
      const entry = {
        at: clock.now(),
        snapshot,
        externalName: recordedExternalName(snapshot),
        operation,
        additionalDetails,
        ...(error === undefined ? {} : { errorMessage: redact(messageOf(error)) }),
      };
      sent = sent
        .then(() => changeLog.send(entry, signal))
        .catch((cause: unknown) =>
          log.info('cannot record change log entry', { operation, error: messageOf(cause) }),
        );
    },
    sent: () => sent,
  };
}
