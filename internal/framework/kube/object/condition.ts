import { visibleMessage } from '../../base/text/redact.ts';
import { formatTimestamp } from '../../base/time/formats.ts';

/** One entry of `status.conditions` (`metav1.Condition`). `lastTransitionTime` has whole seconds. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message?: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

/** A condition without its time. */
export type StatedCondition = Readonly<Omit<Condition, 'lastTransitionTime'>>;

/** In characters. The schema of `metav1.Condition` allows 32,768. */
const MAX_MESSAGE = 4096;

/**
 * The list with `stated` in place of the condition of its type, or at the end. The only function that sets `lastTransitionTime`, which
 * changes only with the status (`SetStatusCondition` of k8s.io/apimachinery).
 */
export function withCondition(
  list: readonly Condition[],
  stated: StatedCondition,
  nowMs: number,
): Condition[] {
  const index = list.findIndex(({ type }) => type === stated.type);
  const old = list[index];
  const message =
    stated.message === undefined ? {} : { message: visibleMessage(stated.message, MAX_MESSAGE) };
  const lastTransitionTime = old?.status === stated.status ? old.lastTransitionTime : formatTimestamp(nowMs);
  const next: Condition = { ...stated, ...message, lastTransitionTime };
  return old === undefined ? [...list, next] : list.with(index, next);
}

export function withoutCondition(list: readonly Condition[], type: string): Condition[] {
  return list.filter((condition) => condition.type !== type);
}

export function findCondition(list: readonly Condition[], type: string): Condition | undefined {
  return list.find((condition) => condition.type === type);
}
