/**
 * What the metadata of a managed resource says about it: annotations that users set (pause, poll interval,
 * reconcile request, external name) and those by which the reconciler remembers what it was about to do.
 * Times have whole seconds; one that is absent or unreadable counts as never.
 */

import { cutText } from '../../base/text/text.ts';
import { parseDuration } from '../../base/time/duration.ts';
import { formatTimestamp, parseTimestamp } from '../../base/time/timestamp.ts';
import type { KubeObject } from '../../kube/object/object.ts';

export const annotationExternalName = 'crossplane.io/external-name';
export const annotationCreatePending = 'crossplane.io/external-create-pending';
const annotationCreateSucceeded = 'crossplane.io/external-create-succeeded';
export const annotationCreateFailed = 'crossplane.io/external-create-failed';
/**
 * The object and the external name that a create of ours was begun for. Kinds that do not record the outcome of a create
 * have it instead of the three above. No rule of Crossplane's; docs/decisions/0001 has it.
 */
export const annotationCreateIntent = 'crossplane.io/external-create-intent';
export const annotationPaused = 'crossplane.io/paused';
export const annotationPollInterval = 'crossplane.io/poll-interval';
export const annotationReconcileRequestedAt = 'crossplane.io/reconcile-requested-at';

export function wasDeleted(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

export function annotationOf(object: KubeObject, name: string): string | undefined {
  const value = object.metadata.annotations?.[name];
  return value === '' ? undefined : value;
}

export function setAnnotation(object: KubeObject, name: string, value: string): void {
  object.metadata.annotations = { ...object.metadata.annotations, [name]: value };
}

/** The name by which the other side knows the resource; `undefined` where none is recorded. */
export function externalNameFrom(object: KubeObject): string | undefined {
  return annotationOf(object, annotationExternalName);
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
 * States that a create is begun under the recorded external name. The uid keeps the statement from an object that is
 * restored from a backup: its external resource may belong to the original. The name keeps it from a name that was
 * edited later.
 */
export function setCreateIntent(object: KubeObject): void {
  const intent = createIntentOf(object);
  if (intent !== undefined) setAnnotation(object, annotationCreateIntent, intent);
}

/** Whether a create of this very object was begun under the external name that is recorded. */
export function hasCreateIntent(object: KubeObject): boolean {
  const intent = createIntentOf(object);
  return intent !== undefined && annotationOf(object, annotationCreateIntent) === intent;
}

function createIntentOf(object: KubeObject): string | undefined {
  const { uid } = object.metadata;
  const name = externalNameFrom(object);
  return uid === undefined || name === undefined ? undefined : `${uid} ${name}`;
}

const timeOf = (object: KubeObject, name: string) => parseTimestamp(annotationOf(object, name));

/** An outcome that seems older than its create, because of another machine's clock, would never count. */
const notBeforePending = (object: KubeObject, nowMs: number) =>
  Math.max(nowMs, timeOf(object, annotationCreatePending) ?? nowMs);

/** A Create was begun and its outcome never recorded. Stamps of the same second count as recorded. */
export function createIncomplete(object: KubeObject): boolean {
  // As in a settled resource, of which neither time has to be read.
  if (annotationOf(object, annotationCreatePending) === annotationOf(object, annotationCreateSucceeded))
    return false;
  const pending = timeOf(object, annotationCreatePending);
  if (pending === undefined) return false;
  const succeeded = timeOf(object, annotationCreateSucceeded) ?? Number.NEGATIVE_INFINITY;
  const failed = timeOf(object, annotationCreateFailed) ?? Number.NEGATIVE_INFINITY;
  return pending > Math.max(succeeded, failed);
}

/** Create succeeded less than `withinMs` ago, so that the other side may not show the resource yet. */
export function createdRecently(object: KubeObject, nowMs: number, withinMs: number): boolean {
  const succeeded = timeOf(object, annotationCreateSucceeded);
  return succeeded !== undefined && nowMs - succeeded < withinMs;
}

/** Only the exact value `true` pauses. */
export function isPaused(object: KubeObject): boolean {
  return annotationOf(object, annotationPaused) === 'true';
}

/** The resource's own poll interval in ms; `undefined` where none is set or it is not a positive Go duration. */
export function pollIntervalFrom(object: KubeObject): number | undefined {
  const text = annotationOf(object, annotationPollInterval);
  const ms = text === undefined ? undefined : parseDuration(text);
  return ms !== undefined && ms > 0 ? ms : undefined;
}

/** In characters; the schema of every kind takes so many in `status.lastHandledReconcileAt`. */
const maxTokenLength = 1024;

/** The token by which somebody asked for a reconcile now, cut to what the status takes; `undefined` where nobody did. */
export function reconcileRequestFrom(object: KubeObject): string | undefined {
  const token = annotationOf(object, annotationReconcileRequestedAt);
  return token === undefined ? undefined : cutText(token, maxTokenLength);
}
