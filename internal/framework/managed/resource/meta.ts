/**
 * Metadata of managed resources: annotations that users set (pause, poll interval, reconcile request, external name)
 * and annotations by which the reconciler records a create. Times have whole seconds; a missing or malformed time
 * counts as never.
 */

import { cutText } from '../../base/text/text.ts';
import { formatTimestamp, parseDuration, parseTimestamp } from '../../base/time/formats.ts';
import type { KubeObject } from '../../kube/object/object.ts';

export const annotationExternalName = 'crossplane.io/external-name';
export const annotationCreatePending = 'crossplane.io/external-create-pending';
const annotationCreateSucceeded = 'crossplane.io/external-create-succeeded';
export const annotationCreateFailed = 'crossplane.io/external-create-failed';
/**
 * The object and the external name of a started create or of an adoption, for kinds that do not record the outcome of a
 * create; it replaces the three annotations above. Not in Crossplane; see docs/decisions/0001.
 */
export const annotationCreateIntent = 'crossplane.io/external-create-intent';
export const annotationPaused = 'crossplane.io/paused';
export const annotationPollInterval = 'crossplane.io/poll-interval';
export const annotationReconcileRequestedAt = 'crossplane.io/reconcile-requested-at';

export function annotationOf(object: KubeObject, name: string): string | undefined {
  const value = object.metadata.annotations?.[name];
  return value === '' ? undefined : value;
}

export function setAnnotation(object: KubeObject, name: string, value: string): void {
  object.metadata.annotations = { ...object.metadata.annotations, [name]: value };
}

/** The annotation of the external name; `undefined` if it is absent or empty. See `recordedExternalName`. */
export function externalNameFrom(object: KubeObject): string | undefined {
  return annotationOf(object, annotationExternalName);
}

/**
 * The external name that the resource has recorded. An annotation that is empty or has the object's name, as Compositions and
 * users set it by habit, does not replace the name of the create intent of this object.
 */
export function recordedExternalName(object: KubeObject): string | undefined {
  const name = externalNameFrom(object);
  if (name !== undefined && name !== object.metadata.name) return name;
  return intendedName(object) ?? name;
}

export function setExternalName(object: KubeObject, name: string): void {
  setAnnotation(object, annotationExternalName, name);
}

export function setCreatePending(object: KubeObject, nowMs: number): void {
  setAnnotation(object, annotationCreatePending, formatTimestamp(nowMs));
}

export function setCreateSucceeded(object: KubeObject, nowMs: number): void {
  setAnnotation(object, annotationCreateSucceeded, formatTimestamp(notBeforePending(object, nowMs)));
}

export function setCreateFailed(object: KubeObject, nowMs: number): void {
  setAnnotation(object, annotationCreateFailed, formatTimestamp(notBeforePending(object, nowMs)));
}

/**
 * Records that the external name is that of a create that starts, or of an adoption. With the uid it does not apply to an
 * object restored from a backup, whose external resource may belong to the original, and with the name not to a name
 * edited later.
 */
export function setCreateIntent(object: KubeObject): void {
  const intent = createIntentOf(object);
  if (intent !== undefined) setAnnotation(object, annotationCreateIntent, intent);
}

/** Whether this object started a create, or adopted, under the recorded external name. */
export function hasCreateIntent(object: KubeObject): boolean {
  const name = recordedExternalName(object);
  return name !== undefined && intendedName(object) === name;
}

/** The name of the create intent of this object; undefined for an intent of another object. */
function intendedName(object: KubeObject): string | undefined {
  const { uid } = object.metadata;
  const intent = annotationOf(object, annotationCreateIntent);
  if (uid === undefined || !intent?.startsWith(`${uid} `)) return undefined;
  return intent.slice(uid.length + 1) || undefined;
}

function createIntentOf(object: KubeObject): string | undefined {
  const { uid } = object.metadata;
  const name = externalNameFrom(object);
  return uid === undefined || name === undefined ? undefined : `${uid} ${name}`;
}

const timeOf = (object: KubeObject, name: string) => parseTimestamp(annotationOf(object, name));

/** An outcome older than its create, because of another clock, would be ignored. */
const notBeforePending = (object: KubeObject, nowMs: number) =>
  Math.max(nowMs, timeOf(object, annotationCreatePending) ?? nowMs);

/**
 * Whether a create was started and its outcome not recorded. Equal times count as recorded
 * (`ExternalCreateIncomplete` in crossplane-runtime).
 */
export function createIncomplete(object: KubeObject): boolean {
  // Usual for settled resources: no time has to be parsed.
  if (annotationOf(object, annotationCreatePending) === annotationOf(object, annotationCreateSucceeded))
    return false;
  const pending = timeOf(object, annotationCreatePending);
  if (pending === undefined) return false;
  const succeeded = timeOf(object, annotationCreateSucceeded) ?? Number.NEGATIVE_INFINITY;
  const failed = timeOf(object, annotationCreateFailed) ?? Number.NEGATIVE_INFINITY;
  return pending > Math.max(succeeded, failed);
}

/**
 * Whether the last create has a recorded success. A user who removes the annotation of its start allows another one. Times have whole
 * seconds: a failure in the second of a success counts as the later one.
 */
export function createSucceeded(object: KubeObject): boolean {
  const pending = timeOf(object, annotationCreatePending);
  const succeeded = timeOf(object, annotationCreateSucceeded);
  const failed = timeOf(object, annotationCreateFailed) ?? Number.NEGATIVE_INFINITY;
  return pending !== undefined && succeeded !== undefined && pending <= succeeded && failed < succeeded;
}

/** Whether a create was about to be sent, whatever came of it. */
export const wasCreateSent = (object: KubeObject): boolean =>
  annotationOf(object, annotationCreatePending) !== undefined;

/** Whether Create succeeded less than `withinMs` ago, so that Observe may not find the resource yet. */
export function createdRecently(object: KubeObject, nowMs: number, withinMs: number): boolean {
  const succeeded = timeOf(object, annotationCreateSucceeded);
  return succeeded !== undefined && nowMs - succeeded < withinMs;
}

/** Only the exact value `true` pauses. */
export function isPaused(object: KubeObject): boolean {
  return annotationOf(object, annotationPaused) === 'true';
}

/** The poll interval of the annotation in ms; `undefined` if it is missing or no positive Go duration. */
export function pollIntervalFrom(object: KubeObject): number | undefined {
  const text = annotationOf(object, annotationPollInterval);
  const ms = text === undefined ? undefined : parseDuration(text);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/** In characters: the limit of `status.lastHandledReconcileAt` in each CRD. */
const maxTokenLength = 1024;

/** The token of a reconcile request, cut to the limit of the status; `undefined` if there is none. */
export function reconcileRequestFrom(object: KubeObject): string | undefined {
  const token = annotationOf(object, annotationReconcileRequestedAt);
  return token === undefined ? undefined : cutText(token, maxTokenLength);
}
