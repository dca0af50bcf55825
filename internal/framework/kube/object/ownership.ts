/** Ownership of objects by owner references. At most one owner is the controller; others must not write the object. */
import { ProviderError } from '../../base/errors/errors.ts';
import { isPermitted, type Owner, type OwnershipRule, recordedOwnership } from '../../ownership/ownership.ts';
import type { KubeObject, OwnerReference } from './object.ts';

const UNCONTROLLED: OwnershipRule = { unrecorded: ['adopt', 'update'], abandoned: [] };

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller);
}

/** The record of the owner of an object that its controller created: the owner reference. */
export function controllerRecord(object: KubeObject): Owner | undefined {
  const controller = controllerOf(object);
  if (controller === undefined) return undefined;
  const { kind, name, uid } = controller;
  return { kind, namespace: object.metadata.namespace, name, uid };
}

/** Whether both have the same controller. */
export function haveSameController(a: KubeObject, b: KubeObject): boolean {
  const [ofA, ofB] = [controllerOf(a), controllerOf(b)];
  return ofA !== undefined && ofA.uid === ofB?.uid;
}

/** The owner reference of a controller. The object is garbage-collected with `owner`. */
export function asController({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid = '' } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/**
 * Throws if another owner than `uid` controls the object. An object without a controller is accepted.
 *
 * @param what names the object in the message
 */
export function assertControllable(object: KubeObject, uid: string, what = 'object'): void {
  const ownership = recordedOwnership({ kind: '', name: '', uid }, controllerRecord(object));
  if (isPermitted(ownership, 'adopt', UNCONTROLLED)) return;
  throw new ProviderError('transient', `existing ${what} is not controlled by UID ${JSON.stringify(uid)}`);
}
