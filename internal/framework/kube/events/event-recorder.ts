import type { EventType } from '../object/core-event.ts';
import type { KubeObject } from '../object/object.ts';

/** Records core/v1 Events about an object. Neither throws nor blocks. */
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
