import { isObject, valueAt } from '../../../../../framework/base/index.ts';
import type { KubeObject } from '../../../../../framework/kube/index.ts';

/** A count of the object; 0 if it is missing, as API servers leave out zeros. */
export function countAt(object: KubeObject, path: readonly string[], missing = 0): number {
  const value = valueAt(object, path);
  return typeof value === 'number' ? value : missing;
}

export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

export function conditionsOf(object: KubeObject): readonly StatusCondition[] {
  const list = valueAt(object, ['status', 'conditions']);
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((condition) => {
    const text = (name: string) => {
      const value = condition[name];
      return typeof value === 'string' ? value : '';
    };
    return { type: text('type'), status: text('status'), reason: text('reason'), message: text('message') };
  });
}

export const isTrue = (object: KubeObject, type: string): boolean =>
  conditionsOf(object).some((condition) => condition.type === type && condition.status === 'True');

/** Whether the status is of the current spec. */
export const isObserved = (object: KubeObject): boolean =>
  countAt(object, ['status', 'observedGeneration']) >= (object.metadata.generation ?? 0);

export const NOT_OBSERVED = 'its controller has not seen the newest version yet';

/** `replicas are` or `replica is`, after a count. */
export const are = (count: number, noun: string): string => (count === 1 ? `${noun} is` : `${noun}s are`);
