import type { Deps } from '../../base/deps.ts';
import { messageOf } from '../../base/errors/errors.ts';
import { cloneJson } from '../../base/json/clone-json.ts';
import { redact } from '../../base/text/redact.ts';
import type { Managed } from '../resource/managed.ts';
import { externalNameFrom } from '../resource/meta.ts';
import type { Operation } from './change-entry.ts';
import type { ChangeLog } from './change-log.ts';

/** What one pass tells the change log. Nothing of it ever fails, or keeps the pass from its next step. */
export interface ReconcileChanges {
  /** Keeps the resource as it is now for the entries of this pass: after Observe, before anything is changed. */
  observed(resource: Managed): void;
  /** Begins to send the entry of an attempt; entries leave in this order. */
  attempted(operation: Operation, outcome: AttemptOutcome): void;
  /** Resolves when all entries are sent or given up. */
  sent(): Promise<void>;
}

export interface AttemptOutcome {
  /** What the attempt failed with. */
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
  /** Ends with the pass. */
  readonly signal: AbortSignal;
}

export function createReconcileChanges({
  changeLog,
  clock,
  log,
  signal,
}: ReconcileChangesOptions): ReconcileChanges {
  let snapshot: Managed | undefined;
  // Sent beside the pass: what Create did must be on record before anybody is told of it at leisure.
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
        externalName: externalNameFrom(snapshot),
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
