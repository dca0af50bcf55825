/** Paths of fields as API servers write them: `.spec.containers[name="web"].env`. */
import { isObject, ownMember } from '../../../../../framework/base/index.ts';

/** `spec`, `containers`, `[name="web"]`, `env` */
export const stepsOf = (path: string): readonly string[] => path.match(/\[[^[\]]*\]|[^.[\]]+/g) ?? [];

/** @param step `[0]`: by position; `[name="web"]`: by keys, of which those with a default may be missing */
export function itemsAt(list: readonly unknown[], step: string): readonly unknown[] {
  const selector = step.slice(1, -1);
  return /^\d+$/.test(selector) ? [list[Number(selector)]] : list.filter((item) => hasKeys(item, step));
}

/** Whether the item has these keys: `[containerPort=80,protocol="TCP"]`. */
export const hasKeys = (item: unknown, step: string): boolean =>
  isObject(item) &&
  keysOf(step).every(([name, text]) => {
    const value = ownMember(item, name);
    return value === undefined || String(value) === text;
  });

/** The names of the keys of a step, and their values as texts. */
export const keysOf = (step: string): readonly (readonly [name: string, text: string])[] =>
  step
    .slice(1, -1)
    .split(',')
    .map((part) => {
      const [name = '', text = ''] = part.split('=', 2);
      return [name, text.replaceAll('"', '')];
    });
