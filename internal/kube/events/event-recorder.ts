import type { EventType } from '../object/core-event.ts';
import type { KubeObject } from '../object/object.ts';

/** Tells users what happened to an object, as core/v1 Events. Never throws and never makes the caller wait. */
export interface EventRecorder {
  /** @param annotations metadata of the Event itself, e.g. the external name */
  record(
    object: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
  ): void;
}
