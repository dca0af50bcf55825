import { isReady } from '../../status/conditions.ts';
import { reasons } from '../../status/reasons.ts';
import type { ServiceInstance } from '../resource.ts';
import { sharedOf } from '../shared-condition.ts';

/**
 * What makes the instance shared as the spec says; undefined: nothing. Only an instance that can be used is shared. A
 * service plan that does not support sharing is not asked again.
 */
export function shareAction(instance: ServiceInstance): 'share' | 'unshare' | undefined {
  if (!isReady(instance)) return undefined;
  const { shared = false } = instance.spec;
  const condition = sharedOf(instance);
  if (condition?.reason === reasons.shareNotSupported) return undefined;
  const isShared = condition?.status === 'True';
  if (shared === isShared) return undefined;
  return shared ? 'share' : 'unshare';
}
