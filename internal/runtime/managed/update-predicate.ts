import { jsonEqual } from '../../base/json/json-equal.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { isOlder } from '../../kube/object/resource-version.ts';
import type { OwnPredicate } from '../controller/own-objects.ts';
import {
  annotationCreateFailed,
  annotationCreateIntent,
  annotationCreatePending,
  wasDeleted,
} from '../resource/meta.ts';
import { annotationShardOwner, annotationShardOwnerPending } from '../sharding/shard-ownership.ts';

/**
 * Which updates of a managed resource are worth a reconcile: those that are news; the first update after a reconcile of an
 * outdated version; and what is newer than that version, which may be one that the cache never had.
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
 * Whether an update of a managed resource is news: its spec, its labels, or its annotations apart from those that
 * the reconciler writes on the way. Status and finalizers are not, except that other controllers' finalizers hold up
 * a deletion, so that their removal is.
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
    // Two processes that acquire ownership from each other must not trigger each other.
    [annotationShardOwner]: _w,
    [annotationShardOwnerPending]: _wp,
    ...rest
  } = object.metadata.annotations ?? {};
  return rest;
}
