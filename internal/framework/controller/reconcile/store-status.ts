import { kindOf, ProviderError } from '../../base/errors/errors.ts';
import { isConflict, isNotFound, isUnknownKind } from '../../kube/errors/errors.ts';
import type { EventRecorder } from '../../kube/events/event-broadcaster.ts';
import type { EventType } from '../../kube/object/core-event.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import type { WithStatus, WorkingCopy } from './working-copy.ts';

/** The API server does not have the object any more. Ends the reconcile, and is no failure. */
export class GoneError extends ProviderError {
  constructor(options?: ErrorOptions) {
    super('not-found', 'the object is gone', options);
  }
}

export interface StoreStatusOptions {
  readonly events: ObjectEvents;
  readonly signal: AbortSignal;
  /** The status has the result of an external write, and is stored even if the object was changed meanwhile. Default false. */
  readonly isResult?: boolean;
}

/**
 * Stores the status if it differs from the stored one, then records the pending events.
 *
 * @throws GoneError if the object does not exist any more; a conflict if it was changed since it was read
 */
export async function storeStatus<T extends WithStatus>(
  copy: WorkingCopy<T>,
  { events, signal, isResult = false }: StoreStatusOptions,
): Promise<void> {
  try {
    await putStatus(copy, isResult, signal);
  } catch (cause) {
    if (isNotFound(cause) && !isUnknownKind(cause) && kindOf(cause) === 'not-found')
      throw new GoneError({ cause });
    // The status may never be stored, so the events are recorded without it.
    if (kindOf(cause) !== 'conflict') events.recordPending();
    throw cause;
  }
  events.recordPending();
}

async function putStatus<T extends WithStatus>(
  copy: WorkingCopy<T>,
  isResult: boolean,
  signal: AbortSignal,
): Promise<void> {
  try {
    await copy.putStatus(signal);
  } catch (error) {
    if (!isResult || !isConflict(error)) throw error;
    await copy.refresh(signal);
    await copy.putStatus(signal);
  }
}

/** Records events of one object during one reconcile. */
export interface ObjectEvents {
  record(type: EventType, reason: string, message: string): void;
  /**
   * For an event that is recorded once for what a condition states: it is pending until the status is stored. Otherwise the
   * next reconcile would record it again if the status could not be stored because the object was changed meanwhile.
   */
  recordWithStatus(type: EventType, reason: string, message: string): void;
  /** Records the pending events: the status is stored, or cannot be stored for a reason that may last. */
  recordPending(): void;
}

export interface ObjectEventsOptions {
  readonly recorder: EventRecorder;
  /** The newest version of the object. */
  readonly object: () => KubeObject;
  /** Annotations of each event. Default: none. */
  readonly annotations?: (object: KubeObject) => Readonly<Record<string, string>>;
}

export function createObjectEvents(options: ObjectEventsOptions): ObjectEvents {
  const { recorder, object, annotations = () => ({}) } = options;
  const pending: (() => void)[] = [];
  const record: ObjectEvents['record'] = (type, reason, message) =>
    recorder.record(object(), type, reason, message, annotations(object()));
  return {
    record,
    recordWithStatus: (...event) => void pending.push(() => record(...event)),
    recordPending: () => {
      for (const each of pending.splice(0)) each();
    },
  };
}
