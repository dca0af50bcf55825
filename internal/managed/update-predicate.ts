import { jsonEqual } from '../base/json/json-equal.ts';
import type { OwnPredicate } from '../controller/own-objects.ts';
import { annotationShardOwner, annotationShardOwnerPending } from '../controller/sharding/shard-ownership.ts';
import type { KubeObject } from '../kube/object/object.ts';
import { wasDeleted } from '../kube/object/object.ts';
import { isOlder } from '../kube/object/resource-version.ts';
import { annotationCreateFailed, annotationCreateIntent, annotationCreatePending } from './resource/meta.ts';

/**
 * The predicate for updates of managed resources. It selects relevant updates, the first update after a reconcile of
 * an outdated version, and versions newer than that one, which the cache may have skipped.
 *
 * @param outdated versions that the API server had replaced when they were reconciled
 */
export function createUpdatePredicate<R extends KubeObject>(
  outdated: Pick<WeakSet<object>, 'has'>,
): OwnPredicate<R> {
  return (old, object, known) =>
    isRelevantUpdate(old, object) ||
    outdated.has(known) ||
    (isBefore(known, object) && isRelevantUpdate(known, object));
}

function isBefore(a: KubeObject, b: KubeObject): boolean {
  return isOlder(a.metadata.resourceVersion ?? '', b.metadata.resourceVersion ?? '');
}

/**
 * Whether the spec, the labels or the annotations changed, apart from annotations that the reconciler writes. Changes
 * of status and finalizers are not relevant, except that during a deletion other finalizers block it.
 */
export function isRelevantUpdate(old: KubeObject, object: KubeObject): boolean {
  return (
    old.metadata.generation !== object.metadata.generation ||
    !jsonEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {}) ||
    !jsonEqual(watchedAnnotations(old), watchedAnnotations(object)) ||
    (wasDeleted(object) && !jsonEqual(old.metadata.finalizers ?? [], object.metadata.finalizers ?? []))
  );
}

function watchedAnnotations(object: KubeObject): Record<string, string> {
  const {
    [annotationCreatePending]: _p,
    [annotationCreateFailed]: _f,
    [annotationCreateIntent]: _i,
    // Two processes that acquire ownership in turn must not trigger each other.
    [annotationShardOwner]: _w,
    [annotationShardOwnerPending]: _wp,
    ...rest
  } = object.metadata.annotations ?? {};
  return rest;
}
