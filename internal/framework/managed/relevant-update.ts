import { jsonEqual } from '../base/json/json-value.ts';
import { shardAnnotations } from '../controller/reconcile/shard-ownership.ts';
import { type KubeObject, wasDeleted } from '../kube/object/object.ts';
import { annotationCreateFailed, annotationCreateIntent, annotationCreatePending } from './resource/meta.ts';

/**
 * The predicate for updates of managed resources: whether the spec, the labels or the annotations changed, apart from
 * annotations that the reconciler writes. Changes of status and finalizers are not relevant, except that during a deletion
 * other finalizers block it.
 */
export function isRelevantUpdate(old: KubeObject, object: KubeObject): boolean {
  return (
    old.metadata.generation !== object.metadata.generation ||
    !jsonEqual(old.metadata.labels ?? {}, object.metadata.labels ?? {}) ||
    !jsonEqual(watchedAnnotations(old), watchedAnnotations(object)) ||
    (wasDeleted(object) && !jsonEqual(old.metadata.finalizers, object.metadata.finalizers))
  );
}

function watchedAnnotations(object: KubeObject): Record<string, string> {
  const {
    [annotationCreatePending]: _p,
    [annotationCreateFailed]: _f,
    [annotationCreateIntent]: _i,
    ...rest
  } = object.metadata.annotations ?? {};
  // Two processes that acquire ownership in turn must not trigger each other.
  for (const name of shardAnnotations) delete rest[name];
  return rest;
}
