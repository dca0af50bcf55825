import { parseDuration, parseTimestamp } from '../../../../framework/base/index.ts';
import { findCondition, withCondition, withoutCondition } from '../../../../framework/kube/index.ts';
import {
  forceRotateAnnotation,
  originalBindingAnnotation,
  rotationOfLabel,
  staleLabel,
} from '../../metadata.ts';
import { conditionsOf, replaceConditions } from '../../status/conditions.ts';
import { reasons } from '../../status/messages.ts';
import type { ServiceBinding } from '../resource.ts';

const HOUR_MS = 3_600_000;
/** The defaults of the admission webhook, which may be off. */
const FREQUENCY_MS = 72 * HOUR_MS;
const TTL_MS = 48 * HOUR_MS;
/** A shorter frequency would replace credentials before programs have read them. */
const MIN_FREQUENCY_MS = 60_000;

/**
 * When the credentials of a binding are to be replaced, by the clock of the API server in ms since the epoch; it may be
 * past. Undefined: never.
 *
 * The first rotation is due after the frequency of the policy, from the creation of the binding. Later ones are at least a
 * minute apart.
 */
export function rotationDueAt({ metadata, spec, status }: ServiceBinding): number | undefined {
  const { credentialsRotationPolicy: policy } = spec;
  if (policy?.enabled !== true || isStale({ metadata })) return undefined;
  if (metadata.annotations?.[forceRotateAnnotation] !== undefined) return 0;
  const frequencyMs = durationOf(policy.rotationFrequency, FREQUENCY_MS);
  const last = parseTimestamp(status?.lastCredentialsRotationTime);
  if (last !== undefined) return last + Math.max(frequencyMs, MIN_FREQUENCY_MS);
  const created = parseTimestamp(metadata.creationTimestamp);
  return created === undefined ? undefined : created + frequencyMs;
}

/** Whether a rotation has replaced the binding. */
const isStale = ({ metadata }: Pick<ServiceBinding, 'metadata'>): boolean =>
  metadata.labels?.[staleLabel] !== undefined;

/** When a replaced binding may be deleted, in ms since the epoch. Undefined: it has no policy, so it is kept. */
export function expiresAt({ metadata, spec }: ServiceBinding): number | undefined {
  const { credentialsRotationPolicy: policy } = spec;
  const created = parseTimestamp(metadata.creationTimestamp);
  if (!isStale({ metadata }) || policy === undefined || created === undefined) return undefined;
  return created + durationOf(policy.rotatedBindingTTL, TTL_MS);
}

/** When something is due: a rotation, or the end of a replaced binding. In ms since the epoch; it may be past. */
export const nextDates = (binding: ServiceBinding): number[] =>
  [rotationDueAt(binding), expiresAt(binding)].flatMap((at) => at ?? []);

/** The name of the binding that replaced this one; undefined if it says none. */
export const originOf = ({ metadata }: Pick<ServiceBinding, 'metadata'>): string | undefined =>
  metadata.annotations?.[originalBindingAnnotation] || metadata.labels?.[rotationOfLabel] || undefined;

/** A text that is no duration counts as absent: the webhook may be off. Negative durations are zero. */
function durationOf(text: string | undefined, absent: number): number {
  const found = text ? parseDuration(text) : undefined;
  return found === undefined || !Number.isFinite(found) ? absent : Math.max(0, found);
}

// Conditions of the rotation of credentials. Each exists only while it is True:
// - `CredRotationInProgress`: Preparing, while the replaced binding is kept under another name; then Rotating, until the new
//   credentials are there
// - `PendingTermination`: a replaced binding has expired, and waits for its origin to be ready

const typeRotation = 'CredRotationInProgress';
const typePendingTermination = 'PendingTermination';

const pendingTerminationText = 'waiting for new credentials to be ready';
export const rotatingText = 'rotating binding credentials';

/** The step of a rotation in progress. */
type RotationStep = 'preparing' | 'rotating';

export function rotationStepOf(binding: ServiceBinding): RotationStep | undefined {
  const found = findCondition(conditionsOf(binding), typeRotation);
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
  replaceConditions(binding, withCondition(conditionsOf(binding), stated, nowMs));
}

function remove(binding: ServiceBinding, type: string): void {
  const conditions = conditionsOf(binding);
  if (findCondition(conditions, type) !== undefined)
    replaceConditions(binding, withoutCondition(conditions, type));
}
