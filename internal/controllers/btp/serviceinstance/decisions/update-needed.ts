import { isReady, succeededOf } from '../../status/conditions.ts';
import { reasons } from '../../status/reasons.ts';
import type { ServiceInstance } from '../resource.ts';
import { specHash } from '../spec/spec-hash.ts';

/**
 * Whether Service Manager must get an update: the spec differs from the one that it accepted last, the parameters in
 * watched Secrets changed, a user requested it, or the last update did not succeed.
 *
 * An instance that was never created successfully is not updated.
 */
export function updateNeeded(instance: ServiceInstance, parametersChanged: boolean): boolean {
  const { status } = instance;
  if (status?.forceReconcile === true) return true;
  if (!isReady(instance)) return false;
  const reason = succeededOf(instance)?.reason;
  if (reason === reasons.updateFailed || reason === reasons.updateInProgress) return true;
  return parametersChanged || status?.hashedSpec !== specHash(instance.spec);
}
