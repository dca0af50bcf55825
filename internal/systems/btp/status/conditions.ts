/**
 * The conditions of both kinds:
 *
 * - `Succeeded`: the result of the last operation. It is the first one, because print columns show the first.
 * - `Ready`: whether the instance or binding can be used. `status.ready` says the same.
 *
 * The functions change the status in memory.
 */
import {
  type Condition,
  findCondition,
  withCondition,
  withoutCondition,
} from '../../../framework/kube/index.ts';
import {
  type KnownOperation,
  notFoundText,
  operationFailedText,
  progressText,
  type Reason,
  reasonOf,
  reasons,
  successText,
} from './messages.ts';
import type { ServiceResource } from './service-resource.ts';

export const typeSucceeded = 'Succeeded';
export const typeReady = 'Ready';
/** Releases of the SAP BTP service operator until 2025 set it. */
const typeFailed = 'Failed';

export interface ConditionWriter {
  /** The operation was requested or goes on. @param message default: a text for the operation */
  inProgress(operation: KnownOperation, message?: string, how?: Transition): void;
  succeeded(operation: KnownOperation, how?: Transition): void;
  /** A request failed. @param message the text of the error */
  requestFailed(operation: KnownOperation, message: string): void;
  /** An accepted operation failed. @param cause the text of Service Manager */
  operationFailed(operation: KnownOperation, cause: string, how?: Transition): void;
  /** A precondition does not hold. */
  blocked(message: string): void;
  /** Service Manager does not have the resource. It replaces all conditions. */
  notFound(id: string): void;
  /** The current generation needs no operation. */
  observed(): void;
}

export interface Transition {
  /** Found by a poll: the condition keeps its generation, because the operation may belong to an older spec. */
  readonly polled?: boolean;
  /** The operation belongs to an older spec, so the condition has no generation, and the object is not in its final state. */
  readonly outdated?: boolean;
}

export const conditionsOf = (object: ServiceResource): Condition[] => object.status?.conditions ?? [];

export const succeededOf = (object: ServiceResource): Condition | undefined =>
  findCondition(conditionsOf(object), typeSucceeded);

export const readyOf = (object: ServiceResource): Condition | undefined =>
  findCondition(conditionsOf(object), typeReady);

/** The generation of the last operation: that of Succeeded, else of the first condition; 0 if there is none. */
export function observedGenerationOf(object: ServiceResource): number {
  return (succeededOf(object) ?? conditionsOf(object)[0])?.observedGeneration ?? 0;
}

export const isReady = (object: ServiceResource): boolean => object.status?.ready === 'True';

/** The conditions with the current generation, except those that have none. */
export const observedConditions = (object: ServiceResource): Condition[] =>
  conditionsOf(object).map((condition) =>
    [typeSucceeded, typeReady].includes(condition.type)
      ? { ...condition, observedGeneration: object.metadata.generation ?? 0 }
      : condition,
  );

/** Replaces the conditions. */
export function replaceConditions(
  object: ServiceResource,
  conditions: Condition[],
  usable = isReady(object),
): void {
  object.status = { ...object.status, conditions, ready: usable ? 'True' : 'False' };
}

export function writeConditions(object: ServiceResource, nowMs: number): ConditionWriter {
  const { kind } = object;
  const generation = object.metadata.generation ?? 0;
  const generationOf = ({ polled = false, outdated = false }: Transition) => {
    if (outdated) return 0;
    return polled ? (succeededOf(object)?.observedGeneration ?? 0) : generation;
  };
  const operation = (status: 'True' | 'False', reason: Reason, message: string, how: Transition = {}) => {
    const observedGeneration = generationOf(how);
    const succeeded = { type: typeSucceeded, status, reason, message, observedGeneration };
    const done = status === 'True';
    const usable = done || isReady(object);
    const ready = {
      type: typeReady,
      status: usable ? ('True' as const) : ('False' as const),
      reason: usable ? reasons.provisioned : reasons.notProvisioned,
      message: done ? message : '',
      observedGeneration: done ? observedGeneration : generation,
    };
    const others = withoutCondition(conditionsOf(object), typeFailed);
    const isFirst = findCondition(others, typeSucceeded) === undefined;
    const list = isFirst
      ? [...withCondition([], succeeded, nowMs), ...others]
      : withCondition(others, succeeded, nowMs);
    replaceConditions(object, withCondition(list, ready, nowMs), usable);
  };
  return {
    inProgress: (type, message, how) =>
      operation('False', reasonOf(type, 'in progress'), message || progressText(kind, type), how),
    succeeded: (type, how) => operation('True', reasonOf(type, 'succeeded'), successText(kind, type), how),
    requestFailed: (type, message) => operation('False', reasonOf(type, 'failed'), message),
    operationFailed: (type, cause, how) =>
      operation('False', reasonOf(type, 'failed'), operationFailedText(kind, type, cause), how),
    blocked: (message) => operation('False', reasons.blocked, message),
    notFound: (id) => {
      const stated = {
        type: typeReady,
        status: 'False' as const,
        reason: reasons.notFound,
        message: notFoundText(kind, id),
        observedGeneration: generation,
      };
      const before = conditionsOf(object).filter(({ type }) => type === typeReady);
      replaceConditions(object, withCondition(before, stated, nowMs), false);
    },
    observed: () => replaceConditions(object, observedConditions(object)),
  };
}
