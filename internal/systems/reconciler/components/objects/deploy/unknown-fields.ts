import { cloneJson, findCause, isObject, ownMember } from '../../../../../framework/base/index.ts';
import { KubeApiError, type KubeObject } from '../../../../../framework/kube/index.ts';

import { itemsAt, stepsOf } from './field-path.ts';

/** Else the field is unknown to another version than the one that is applied. */
const OF_THE_PATCH = 'failed to create typed patch object';
/** Follows the path of a field: `.spec.template.spec.containers[name="web"].foo: field not declared in schema`. */
const UNKNOWN_FIELD = ': field not declared in schema';

/**
 * The object without the fields that its kind does not have, and their paths. Server-side apply refuses them, while a creation
 * drops them, so that charts have such fields.
 *
 * @returns undefined if the error is another one, or names fields that the object does not have
 */
export function withoutUnknownFields(
  object: KubeObject,
  error: unknown,
): { readonly object: KubeObject; readonly paths: readonly string[] } | undefined {
  const refusal = findCause(error, KubeApiError);
  if (refusal === undefined || !refusal.message.includes(OF_THE_PATCH)) return undefined;
  const texts = refusal.message.split(UNKNOWN_FIELD).slice(0, -1);
  const paths = texts.map((text) => text.slice(text.lastIndexOf(' ') + 1));
  const copy = cloneJson(object);
  const removed = paths.filter((path) => remove(copy, stepsOf(path)));
  return removed.length === 0 ? undefined : { object: copy, paths: removed };
}

function remove(value: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return false;
  if (step.startsWith('[')) {
    const items = Array.isArray(value) ? itemsAt(value, step) : [];
    return items.map((item) => remove(item, rest)).includes(true);
  }
  if (!isObject(value) || ownMember(value, step) === undefined) return false;
  return rest.length > 0 ? remove(value[step], rest) : Reflect.deleteProperty(value, step);
}
