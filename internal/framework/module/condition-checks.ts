import type { Condition } from '../kube/object/condition.ts';
import type { Check } from './diagnosis.ts';

/** A condition that is True on a resource that works. */
export interface ExpectedCondition {
  readonly type: string;
  /** Reasons for which it is not True, and no action is needed. Absent: all, because it follows from another condition. */
  readonly waiting?: readonly string[];
  /** Whether resources without it work. */
  readonly optional?: boolean;
}

/**
 * What the resource says about itself, as the first check of the report: a resource is not healthy while one of these
 * conditions is not True, whatever the other checks find.
 *
 * @param remediation a command that shows the resource with its events
 */
export function conditionCheck(
  conditions: readonly Condition[],
  expected: readonly ExpectedCondition[],
  remediation: string,
): Check {
  const name = 'conditions';
  const told = new Set(['']);
  const found = expected.map(({ type, waiting, optional = false }) => {
    const condition = conditions.find((each) => each.type === type);
    if (condition === undefined)
      return { type, failed: false, ...(optional ? {} : { text: `${type} is not set yet` }) };
    const { status, reason, message = '' } = condition;
    if (status === 'True') return { type, failed: false };
    const failed = status === 'False' && waiting !== undefined && !waiting.includes(reason);
    // Conditions with one cause have one message.
    const more = told.has(message) ? '' : `: ${message}`;
    told.add(message);
    return { type, failed, text: `${type} is ${status}, ${reason}${more}` };
  });
  const texts = found.flatMap(({ text }) => text ?? []);
  if (texts.length === 0) {
    const required = expected.filter(({ optional = false }) => !optional).map(({ type }) => type);
    return { name, status: 'ok', detail: `${required.join(' and ')}: True` };
  }
  const status = found.some(({ failed }) => failed) ? 'failed' : 'waiting';
  return { name, status, detail: texts.join('; '), remediation };
}
