import { kindOf, ProviderError } from '../../base/errors/errors.ts';
import { isConflict, isNotFound, isUnknownKind } from '../../kube/errors/errors.ts';
import type { ObjectEvents } from './object-events.ts';
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
