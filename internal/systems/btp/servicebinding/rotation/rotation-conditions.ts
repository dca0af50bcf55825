/**
 * Conditions of the rotation of credentials. Each exists only while it is True:
 *
 * - `CredRotationInProgress`: Preparing, while the replaced binding is kept under another name; then Rotating, until the new
 *   credentials are there
 * - `PendingTermination`: a replaced binding has expired, and waits for its origin to be ready
 */
import { findCondition, withCondition, withoutCondition } from '../../../../framework/kube/index.ts';
import { replaceConditions } from '../../status/conditions.ts';
import { reasons } from '../../status/reasons.ts';
import type { ServiceBinding } from '../resource.ts';

const typeRotation = 'CredRotationInProgress';
const typePendingTermination = 'PendingTermination';

const pendingTerminationText = 'waiting for new credentials to be ready';
export const rotatingText = 'rotating binding credentials';

/** The step of a rotation in progress. */
export type RotationStep = 'preparing' | 'rotating';

export function rotationStepOf({ status }: Pick<ServiceBinding, 'status'>): RotationStep | undefined {
  const found = findCondition(status?.conditions ?? [], typeRotation);
  if (found?.status !== 'True') return undefined;
  return found.reason === reasons.rotating ? 'rotating' : 'preparing';
}

/** @param message default: the reason */
export function setRotation(
  binding: ServiceBinding,
  step: RotationStep,
  nowMs: number,
  message?: string,
): void {
  set(binding, typeRotation, reasons[step], message ?? reasons[step], nowMs);
}

export function setPendingTermination(binding: ServiceBinding, nowMs: number): void {
  set(binding, typePendingTermination, reasons.pendingTermination, pendingTerminationText, nowMs);
}

export const removeRotation = (binding: ServiceBinding): void => remove(binding, typeRotation);
export const removePendingTermination = (binding: ServiceBinding): void =>
  remove(binding, typePendingTermination);

function set(binding: ServiceBinding, type: string, reason: string, message: string, nowMs: number): void {
  const observedGeneration = binding.metadata.generation ?? 0;
  const stated = { type, status: 'True' as const, reason, message, observedGeneration };
  replaceConditions(binding, withCondition(binding.status?.conditions ?? [], stated, nowMs));
}

function remove(binding: ServiceBinding, type: string): void {
  const { conditions = [] } = binding.status ?? {};
  if (findCondition(conditions, type) !== undefined)
    replaceConditions(binding, withoutCondition(conditions, type));
}
