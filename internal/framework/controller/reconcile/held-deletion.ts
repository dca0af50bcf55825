import { jsonEqual } from '../../base/json/json-value.ts';
import { wasDeleted } from '../../kube/object/object.ts';
import { foreignFinalizers, hasFinalizer } from './finalizer.ts';
import type { Reconciler, ReconcilerContext } from './reconciler.ts';
import { createObjectEvents, storeStatus } from './store-status.ts';
import type { WithStatus } from './working-copy.ts';

/** Event of an object that waits for others. */
export const reasonWaitingEvent = 'Waiting';
/** Condition of an object whose deletion waits for finalizers of others. */
export const reasonWaitingForFinalizers = 'WaitingForFinalizers';

/** @param finalizers of other controllers */
export function waitsForFinalizersText(finalizers: readonly string[]): string {
  const names = finalizers.length === 1 ? 'finalizer' : 'finalizers';
  return `the deletion waits for other controllers, which must remove the ${names} ${finalizers.join(', ')}`;
}

export interface HeldDeletionOptions<T extends WithStatus> {
  /** The finalizer of the kind. Undefined: it has none. */
  readonly own: string | undefined;
  /** Sets the conditions, with this text. Called in each reconcile. */
  readonly show: (object: T, text: string, context: Pick<ReconcilerContext, 'clock'>) => void;
}

/**
 * A reconciler after which a deletion that is held by finalizers of other controllers alone says so in a condition, and in one event.
 * Nothing else of the program is left to do for such an object.
 */
export const reportingHeldDeletion =
  <T extends WithStatus, M>(
    reconciler: Reconciler<T, M>,
    { own, show }: HeldDeletionOptions<T>,
  ): Reconciler<T, M> =>
  async (copy, context) => {
    const result = await reconciler(copy, context);
    const { object } = copy;
    if (!wasDeleted(object) || (own !== undefined && hasFinalizer(object, own))) return result;
    const finalizers = foreignFinalizers(object, own ?? '');
    if (finalizers.length === 0) return result;
    const { recorder, signal } = context;
    const events = createObjectEvents({ recorder, object: () => object });
    const before = object.status;
    const text = waitsForFinalizersText(finalizers);
    show(object, text, context);
    if (jsonEqual(before ?? {}, object.status ?? {})) return result;
    events.recordWithStatus('Normal', reasonWaitingEvent, text);
    await storeStatus(copy, { events, signal });
    return result;
  };
