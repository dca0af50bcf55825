import type { Runtime } from '../../../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import type { KubeObject } from '../../../../framework/kube/index.ts';
import { isPermitted, type OwnershipRule, ownershipOf } from '../../../../framework/ownership/ownership.ts';
import { shootKey } from '../../gardener/gardener.ts';
import { recordedRuntime, runtimeRecord } from '../../gardenercluster/metadata.ts';
import { type RuntimeRun, shootNameOf } from '../run.ts';
import { runtimeOwner } from './runtime-owner.ts';

/** Those of the Kyma infrastructure manager have no record: their labels say that they are of the Runtime of the cluster. */
const RULE: OwnershipRule = {
  unrecorded: ['adopt', 'update', 'delete'],
  abandoned: ['adopt', 'update', 'delete'],
};

/** Whose objects in a runtime cluster are, of those with the labels of this program. None of them has a namespace. */
export interface ObjectOwnership {
  /** Annotations of an object of this name: the Runtime with its uid, and the name, so that a copy of the object has no owner. */
  recordOf(name: string): Readonly<Record<string, string>>;
  /** Those that may be changed and deleted. */
  ownOf<T extends KubeObject>(objects: readonly T[]): Promise<readonly T[]>;
}

export const objectOwnershipOf = ({ object, gardener, runtimesNaming }: RuntimeRun): ObjectOwnership =>
  objectOwnership(object, runtimesNaming(shootKey(gardener, shootNameOf(object) ?? '')));

/** @param naming the Runtimes that name the Shoot of the cluster: others have nothing in it */
export function objectOwnership(runtime: Runtime, naming: readonly Runtime[]): ObjectOwnership {
  const own = runtimeOwner(runtime);
  // The cluster belongs to its users, so no request depends on what they write.
  const isGone = ({ uid }: { readonly uid: string }) => !naming.some(({ metadata }) => metadata.uid === uid);
  const isOwn = async (object: KubeObject) =>
    isPermitted(await ownershipOf({ own, recorded: recordedRuntime(object), isGone }), 'delete', RULE);
  return {
    recordOf: (name) => runtimeRecord(own, { name }),
    ownOf: async (objects) => {
      const states = await Promise.all(objects.map(isOwn));
      return objects.filter((_, index) => states[index] === true);
    },
  };
}
