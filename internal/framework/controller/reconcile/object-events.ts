import type { EventRecorder } from '../../kube/events/event-recorder.ts';
import type { EventType } from '../../kube/object/core-event.ts';
import type { KubeObject } from '../../kube/object/object.ts';

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
