/**
 * The conditions of a ServiceInstance:
 *
 * - `Succeeded`: the result of the last operation. It is the first one, because print columns show the first.
 * - `Ready`: whether the instance can be used. `status.ready` says the same.
 * - `Shared`: whether it is shared; absent if it never was and should not be. It has no generation.
 *
 * The functions change the status in memory.
 */
import type { ServiceInstance } from '../resource.ts';
import { findCondition, withCondition, withoutCondition } from './condition-list.ts';
import { notFoundText, operationFailedText, progressText, successText } from './messages.ts';
import { type KnownOperation, type Reason, reasonOf, reasons } from './reasons.ts';

export const typeSucceeded = 'Succeeded';
const typeReady = 'Ready';
const typeShared = 'Shared';
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
  /** Service Manager does not have the instance. It replaces all conditions. */
  notFound(id: string): void;
  /** The current generation needs no operation. */
  observed(): void;
  shared(isShared: boolean, reason: Reason, message: string): void;
  removeShared(): void;
}

export interface Transition {
  /** Found by a poll: the condition keeps its generation, because the operation may belong to an older spec. */
  readonly polled?: boolean;
}

export function conditionsOf(instance: ServiceInstance) {
  return instance.status?.conditions ?? [];
}

export const succeededOf = (instance: ServiceInstance) =>
  findCondition(conditionsOf(instance), typeSucceeded);
export const sharedOf = (instance: ServiceInstance) => findCondition(conditionsOf(instance), typeShared);

/** The generation of the last operation: that of Succeeded, else of the first condition; 0 if there is none. */
export function observedGenerationOf(instance: ServiceInstance): number {
  return (succeededOf(instance) ?? conditionsOf(instance)[0])?.observedGeneration ?? 0;
}

export const isReady = (instance: ServiceInstance): boolean => instance.status?.ready === 'True';

export function writeConditions(instance: ServiceInstance, nowMs: number): ConditionWriter {
  const generation = instance.metadata.generation ?? 0;
  const store = (conditions: ReturnType<typeof conditionsOf>, usable = isReady(instance)) => {
    instance.status = { ...instance.status, conditions, ready: usable ? 'True' : 'False' };
  };
  const generationOf = ({ polled = false }: Transition) =>
    polled ? (succeededOf(instance)?.observedGeneration ?? 0) : generation;
  const operation = (status: 'True' | 'False', reason: Reason, message: string, how: Transition = {}) => {
    const observedGeneration = generationOf(how);
    const succeeded = { type: typeSucceeded, status, reason, message, observedGeneration };
    const done = status === 'True';
    const usable = done || isReady(instance);
    const ready = {
      type: typeReady,
      status: usable ? ('True' as const) : ('False' as const),
      reason: usable ? reasons.provisioned : reasons.notProvisioned,
      message: done ? message : '',
      observedGeneration: done ? observedGeneration : generation,
    };
    const others = withoutCondition(conditionsOf(instance), typeFailed);
    const isFirst = findCondition(others, typeSucceeded) === undefined;
    const list = isFirst
      ? [...withCondition([], succeeded, nowMs), ...others]
      : withCondition(others, succeeded, nowMs);
    store(withCondition(list, ready, nowMs), usable);
  };
  return {
    inProgress: (type, message, how) =>
      operation('False', reasonOf(type, 'in progress'), message || progressText(type), how),
    succeeded: (type, how) => operation('True', reasonOf(type, 'succeeded'), successText(type), how),
    requestFailed: (type, message) => operation('False', reasonOf(type, 'failed'), message),
    operationFailed: (type, cause, how) =>
      operation('False', reasonOf(type, 'failed'), operationFailedText(type, cause), how),
    notFound: (id) => {
      const stated = {
        type: typeReady,
        status: 'False' as const,
        reason: reasons.notFound,
        message: notFoundText(id),
        observedGeneration: generation,
      };
      const before = conditionsOf(instance).filter(({ type }) => type === typeReady);
      store(withCondition(before, stated, nowMs), false);
    },
    observed: () =>
      store(
        conditionsOf(instance).map((condition) =>
          condition.type === typeShared ? condition : { ...condition, observedGeneration: generation },
        ),
      ),
    shared: (isShared, reason, message) => {
      const status = isShared ? 'True' : 'False';
      const current = conditionsOf(instance);
      const others = withoutCondition(current, typeShared).map((condition) => ({
        ...condition,
        observedGeneration: generation,
      }));
      const before = current.filter(({ type }) => type === typeShared);
      const shared = withCondition(before, { type: typeShared, status, reason, message }, nowMs);
      store([...others, ...shared.map(({ observedGeneration: _, ...condition }) => condition)]);
    },
    removeShared: () => store(withoutCondition(conditionsOf(instance), typeShared)),
  };
}
