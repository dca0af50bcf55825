import { visibleMessage } from '../../base/text/redact.ts';
import { cutMiddle } from '../../base/text/text.ts';
import { cutName, type KubeObject } from './object.ts';

export type EventType = 'Normal' | 'Warning';

/** A core/v1 Event, the kind that Crossplane's RBAC allows; `events.k8s.io` is not used. */
export interface CoreEvent extends KubeObject {
  involvedObject: ObjectReference;
  type: EventType;
  reason: string;
  message: string;
  count: number;
  firstTimestamp: string;
  lastTimestamp: string;
  source: { component: string };
  reportingComponent: string;
  reportingInstance: string;
}

export interface ObjectReference {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
}

export interface EventDetails {
  readonly object: KubeObject;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** The controller's name. */
  readonly component: string;
  /** RFC 3339, whole seconds. */
  readonly timestamp: string;
  /** Makes the name unique: ns since the epoch. */
  readonly nanos: bigint;
}

/** The longest message that the API accepts; used for annotations of this framework as well. */
export const MAX_MESSAGE_BYTES = 1024;

/** The longest name of an object. */
const MAX_NAME_LENGTH = 253;

/** An event about `object`, in its namespace, or `default` for cluster-scoped objects. */
export function coreEvent(details: EventDetails): CoreEvent {
  const { object, annotations, component, timestamp } = details;
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const suffix = `.${details.nanos.toString(16)}`;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: cutName(name, MAX_NAME_LENGTH - suffix.length) + suffix,
      namespace: namespace ?? 'default',
      ...(Object.keys(annotations).length > 0 ? { annotations: bounded(annotations) } : {}),
    },
    involvedObject: {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    type: details.type,
    reason: details.reason,
    message: truncate(visibleMessage(details.message, MAX_MESSAGE_BYTES), MAX_MESSAGE_BYTES),
    count: 1,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
  };
}

/** Cuts in the middle, between characters, with a marker that states how many characters are missing. */
export function truncate(text: string, maxBytes: number): string {
  let limit = maxBytes;
  let result = cutMiddle(text, limit);
  // No character takes more than three bytes, and none less than one.
  for (let over = excess(result, maxBytes); over > 0; over = excess(result, maxBytes)) {
    limit = Math.max(1, limit - Math.ceil(over / 3));
    result = cutMiddle(text, limit);
  }
  return result;
}

const excess = (text: string, maxBytes: number): number => Buffer.byteLength(text) - maxBytes;

function bounded(annotations: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(annotations);
  return Object.fromEntries(entries.map(([name, value]) => [name, truncate(value, MAX_MESSAGE_BYTES)]));
}
