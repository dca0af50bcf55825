import {
  type Condition,
  findCondition,
  withCondition,
  withoutCondition,
} from '../../../framework/kube/index.ts';
import type { Run, RunMemory, UnconnectedRun } from '../operations/run.ts';
import { conditionsOf, observedConditions, replaceConditions } from '../status/conditions.ts';
import { type Reason, reasons } from '../status/messages.ts';
import type { ServiceInstance } from './resource.ts';
import type { SpecHashes } from './spec-hash.ts';

/** What is kept of an instance between reconciles of one process. */
export interface InstanceMemory extends RunMemory {
  /** Of the parameters that Service Manager accepted last. */
  readonly fingerprint?: string;
  /** What an update in progress replaces; see `acceptParameters`. */
  readonly replaced?: { readonly fingerprint: string | undefined; readonly version: string | undefined };
  /** An update was sent, or may have been, that the status does not have. */
  readonly isUnrecorded?: boolean;
  /** Of the spec. `version`: uid and generation. */
  readonly known?: { readonly version: string; readonly hashes: SpecHashes };
  /** The finalizer is stored, and no create was sent since then: the status need not say that one may have been sent. */
  readonly isUnsent?: boolean;
  /** The result of `confirm` for the instance with this uid. */
  readonly confirmed?: { readonly uid: string; readonly secrets: string };
  /** When its deletion first waited for bindings, by the monotonic clock in ms. */
  readonly waitsSince?: number;
}

export type UnconnectedInstanceRun = UnconnectedRun<ServiceInstance, InstanceMemory>;

/** One reconcile of a ServiceInstance. */
export type InstanceRun = Run<ServiceInstance, InstanceMemory>;

/** The ID in Service Manager; empty: none is known. */
export const instanceIDOf = ({ status }: ServiceInstance): string => status?.instanceID ?? '';

// The condition `Shared` of a ServiceInstance: whether it is shared; absent if it never was and should not be. It has no
// generation and comes last.

export const typeShared = 'Shared';

export const sharedText = 'instance shared successfully';
export const unsharedText = 'instance un-shared successfully';
const foundSharedText = 'Instance shared successfully';

export const sharedOf = (instance: ServiceInstance): Condition | undefined =>
  findCondition(conditionsOf(instance), typeShared);

/** @param given the other conditions; default: they get the current generation */
export function setShared(
  instance: ServiceInstance,
  { isShared, reason, message }: { isShared: boolean; reason: Reason; message: string },
  nowMs: number,
  given = observedConditions(instance),
): void {
  const others = withoutCondition(given, typeShared);
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

/** The instance was found in Service Manager, and is shared. That says nothing about an edit: no generation is observed. */
export function setFoundShared(instance: ServiceInstance, nowMs: number): void {
  const found = { isShared: true, reason: reasons.shareSucceeded, message: foundSharedText };
  setShared(instance, found, nowMs, conditionsOf(instance));
}

export function removeShared(instance: ServiceInstance): void {
  replaceConditions(instance, withoutCondition(conditionsOf(instance), typeShared));
}
