/**
 * Who an object belongs to, by its owner references. At most one owner is the *controller*: whoever else wants to
 * write the object must leave it alone.
 */
import { ProviderError } from '../../base/errors/errors.ts';
import type { KubeObject, OwnerReference } from '../../kube/object/object.ts';

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

/** Whether one and the same owner controls both. */
export function haveSameController(a: KubeObject, b: KubeObject): boolean {
  const [ofA, ofB] = [controllerOf(a), controllerOf(b)];
  return ofA !== undefined && ofA.uid === ofB?.uid;
}

/** The reference by which `owner` controls an object, which then goes with it. */
export function asController({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Throws if another one than `uid` controls the object; one that nobody controls may be taken over.
 *
 * @param what names the object in the message
 */
export function assertControllable(object: KubeObject, uid: string, what = 'object'): void {
  const controller = controllerOf(object);
  if (controller === undefined || controller.uid === uid) return;
  throw new ProviderError('transient', `existing ${what} is not controlled by UID ${JSON.stringify(uid)}`);
}
