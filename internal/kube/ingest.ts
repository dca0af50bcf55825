import type { KubeObject } from './object.ts';

/** Drops what no controller reads and what makes up half of a small object. The API server keeps its own copy. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Drops the copy of the manifest that kubectl leaves as well. Only for objects that are never written back whole:
 * a PUT without the annotation would remove it, and kubectl would forget which fields it had set.
 */
export function dropBookkeeping<T extends KubeObject>(object: T): T {
  const { annotations } = object.metadata;
  if (annotations && lastApplied in annotations) delete annotations[lastApplied];
  return dropManagedFields(object);
}

/** Freezes plain JSON through and through, so that nobody changes a shared object by mistake. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const key in value) deepFreeze(value[key]);
  return Object.freeze(value);
}
