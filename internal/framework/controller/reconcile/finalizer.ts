import { isNotFound } from '../../kube/errors/errors.ts';
import type { KubeObject } from '../../kube/object/object.ts';
import { putObject, type WithStatus, type WorkingCopy } from './working-copy.ts';

/** Blocks the deletion of a managed resource until its external resource is deleted or orphaned. */
export const managedFinalizer = 'finalizer.managedresource.crossplane.io';

/** Finalizers of the garbage collector of Kubernetes, which waits for the other finalizers. */
const GARBAGE_COLLECTION = ['foregroundDeletion', 'orphan'];

export function hasFinalizer(object: KubeObject, name: string): boolean {
  return object.metadata.finalizers?.includes(name) ?? false;
}

/** Adds the finalizer in memory; the next PUT stores it. */
export function stageFinalizer<T extends WithStatus>(copy: WorkingCopy<T>, name: string): void {
  if (hasFinalizer(copy.object, name)) return;
  copy.object.metadata.finalizers = [...(copy.object.metadata.finalizers ?? []), name];
  copy.markChanged();
}

/**
 * Adds and stores the finalizer, with the shard as the owner of an object that has none: without it the next reconcile would take the object
 * for that of another shard. No request if the object has the finalizer.
 *
 * @param context that of the reconcile
 */
export async function storeFinalizer<T extends WithStatus>(
  copy: WorkingCopy<T>,
  name: string,
  context: {
    readonly guard: { acquireOwnership(): Promise<void>; stageClaim(): void };
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { guard, signal } = context;
  if (!hasFinalizer(copy.object, name)) {
    await guard.acquireOwnership();
    guard.stageClaim();
    stageFinalizer(copy, name);
  }
  if (copy.hasChanges()) await putObject(copy, signal);
}

/** Removes the finalizer. No error if the finalizer or the object is already gone. */
export async function removeFinalizer<T extends WithStatus>(
  copy: WorkingCopy<T>,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  if (!hasFinalizer(copy.object, name)) return;
  copy.object.metadata.finalizers = (copy.object.metadata.finalizers ?? []).filter((other) => other !== name);
  try {
    await putObject(copy, signal);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** Finalizers of other controllers, which may still need the external resource. */
export function foreignFinalizers(object: KubeObject, own: string): string[] {
  return (object.metadata.finalizers ?? []).filter(
    (name) => name !== own && !GARBAGE_COLLECTION.includes(name),
  );
}
