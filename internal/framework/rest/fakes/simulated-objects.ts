/** The objects of a simulated API: what requests have, and what they make of what is there. */
import { isObject, setAt, valueAt } from '../../base/json/json-value.ts';
import { fieldPath, type JsonObject, pathOf, type RestDefinition } from '../definition.ts';
import type { RestSample } from './rest-sample.ts';

/** The fields that updates have, with the values of the API. */
export const changeable = ({
  definition: { fields },
  sample,
}: {
  readonly definition: RestDefinition;
  readonly sample: RestSample;
}): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const { immutable, writeOnly, secret, update } = field;
      const isOfUpdate = !immutable && !writeOnly && !secret && update === undefined;
      const [root = name] = fieldPath(name, field);
      return isOfUpdate && Object.hasOwn(sample.response, root)
        ? [[root, structuredClone(sample.response[root])]]
        : [];
    }),
  );

/** What was sent over what there is. An object with fields of the spec within it keeps the members that were not sent. */
export function overlaid(
  { fields }: RestDefinition,
  object: JsonObject,
  sent: JsonObject,
): Record<string, unknown> {
  const roots = new Set(Object.values(fields).flatMap(({ within }) => pathOf(within).slice(0, 1)));
  const inner = [...roots].flatMap((root) =>
    isObject(object[root]) && isObject(sent[root]) ? [[root, merged(object[root], sent[root])] as const] : [],
  );
  return { ...object, ...sent, ...Object.fromEntries(inner) };
}

/** What the steps of a JSON Patch change. */
export function patched(object: JsonObject, steps: readonly unknown[]): JsonObject {
  const changed = { ...object };
  for (const step of steps) {
    if (!isObject(step)) continue;
    const path = String(step.path).split('/').slice(1);
    setAt(
      changed,
      path.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')),
      step.value,
    );
  }
  return changed;
}

export function objectAt(body: unknown, path: string | undefined): JsonObject {
  const found = valueAt(body, pathOf(path));
  return isObject(found) ? found : {};
}

export const nested = (path: string | undefined, value: unknown): unknown =>
  pathOf(path).reduceRight((inner, name) => (name === '0' ? [inner] : { [name]: inner }), value);

/** Two objects with different members at any depth. */
export function merged(a: unknown, b: unknown): unknown {
  if (!isObject(a) || !isObject(b)) return b;
  const all = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...all].map((name) => [
      name,
      Object.hasOwn(a, name) && Object.hasOwn(b, name)
        ? merged(a[name], b[name])
        : Object.hasOwn(b, name)
          ? b[name]
          : a[name],
    ]),
  );
}
