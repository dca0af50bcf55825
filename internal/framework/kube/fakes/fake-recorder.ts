import { cloneJson } from '../../base/json/json-value.ts';
import { publishOutput } from '../../base/telemetry/telemetry.ts';
import type { EventRecorder } from '../events/event-broadcaster.ts';
import type { EventType } from '../object/core-event.ts';
import { type KubeObject, keyOf, keyString } from '../object/object.ts';

export interface RecordedEvent {
  readonly object: KubeObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Keeps events in order instead of sending them. */
export interface FakeRecorder extends EventRecorder {
  readonly events: readonly RecordedEvent[];
  /** `Normal CreatedExternalResource: Successfully …`, one for each event. */
  lines(): string[];
}

export function createFakeRecorder(): FakeRecorder {
  const events: RecordedEvent[] = [];
  return {
    events,
    lines: () => events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
    record: (object, type, reason, message, annotations = {}) => {
      publishOutput('event', () => [reason, message, annotations], keyString(keyOf(object)));
      events.push({ object: cloneJson(object), type, reason, message, annotations });
    },
  };
}
