/**
 * The condition `Shared` of a ServiceInstance: whether it is shared; absent if it never was and should not be. It has no
 * generation and comes last.
 */
import type { Condition } from '../../../framework/kube/index.ts';
import { findCondition, withCondition, withoutCondition } from '../../../framework/kube/index.ts';
import { conditionsOf, observedConditions, replaceConditions } from '../status/conditions.ts';
import { type Reason, reasons } from '../status/reasons.ts';
import type { ServiceInstance } from './resource.ts';

export const typeShared = 'Shared';

export const sharedText = 'instance shared successfully';
export const unsharedText = 'instance un-shared successfully';
const foundSharedText = 'Instance shared successfully';

export const sharedOf = (instance: ServiceInstance): Condition | undefined =>
  findCondition(conditionsOf(instance), typeShared);

/** The other conditions get the current generation. */
export function setShared(
  instance: ServiceInstance,
  { isShared, reason, message }: { isShared: boolean; reason: Reason; message: string },
  nowMs: number,
): void {
  const others = withoutCondition(observedConditions(instance), typeShared);
  const before = conditionsOf(instance).filter(({ type }) => type === typeShared);
  const stated = {
    type: typeShared,
    status: isShared ? ('True' as const) : ('False' as const),
    reason,
    message,
  };
  const shared = withCondition(before, stated, nowMs);
  replaceConditions(instance, [
    ...others,
    ...shared.map(({ observedGeneration: _, ...condition }) => condition),
  ]);
}

/** The instance was found in Service Manager, and is shared. */
export const setFoundShared = (instance: ServiceInstance, nowMs: number): void =>
  setShared(instance, { isShared: true, reason: reasons.shareSucceeded, message: foundSharedText }, nowMs);

export function removeShared(instance: ServiceInstance): void {
  replaceConditions(instance, withoutCondition(conditionsOf(instance), typeShared));
}
