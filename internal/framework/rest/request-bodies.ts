/** What the requests of a kind that a definition describes send: fields of the spec, constants, and values of Secrets. */
import { isObject, ownMember, setAt, valueAt } from '../base/json/json-value.ts';
import type { Difference } from './compare.ts';
import {
  fieldPath,
  hasSecretWithin,
  isFixed,
  type JsonObject,
  type RestDefinition,
  type RestField,
  type RestResource,
  type RestUpdate,
  sentValue,
} from './definition.ts';

/** A value with its path in a request. */
export type PathValue = readonly [path: readonly string[], value: unknown];

/** What requests have of Secrets. */
export interface SecretValues {
  readonly values: readonly PathValue[];
  /** Fields of the spec whose lists have some, with these. */
  readonly within: JsonObject;
}

/** What Observe has read, and where the spec differs. */
interface Compared {
  readonly read: JsonObject;
  readonly changed: readonly Difference[];
}

export interface RequestBodies {
  /** The fields of the spec that are set, and constant ones, where the API has them. */
  of(
    spec: JsonObject,
    isSent: (name: string, field: RestField) => boolean,
    secrets: SecretValues,
    base?: JsonObject,
  ): JsonObject;
  /** Of an update that does not send a JSON Patch. */
  update(spec: JsonObject, compared: Compared, secrets: SecretValues): JsonObject;
  /** A JSON Patch: a step for each field that differs, with a value of its own or of a Secret. */
  patch(spec: JsonObject, compared: Compared, secrets: SecretValues): readonly JsonObject[];
}

export function requestBodies<R extends RestResource>(definition: RestDefinition<R>): RequestBodies {
  const { fields } = definition;
  const { body: form = 'all', echo = [] }: Pick<RestUpdate, 'body' | 'echo'> =
    typeof definition.update === 'string' ? {} : (definition.update ?? {});

  const of: RequestBodies['of'] = (own, isSent, { values, within }, base = {}) => {
    const spec = { ...own, ...within };
    const sent = Object.entries(fields).filter(([name, field]) => !field.secret && isSent(name, field));
    const set = sent.flatMap(([name, field]): PathValue[] => {
      const value = field.value === undefined ? ownMember(spec, name) : undefined;
      return value === undefined ? [] : [[fieldPath(name, field), sentValue(value, field)]];
    });
    const body: Record<string, unknown> = { ...base };
    // An object goes before the fields within it.
    for (const [path, value] of [...set, ...values].toSorted(([a], [b]) => a.length - b.length))
      setAt(body, path, value);
    for (const [name, field] of sent) {
      const path = fieldPath(name, field);
      const around = path.slice(0, -1);
      if (field.value !== undefined && (isObject(valueAt(body, around)) || isAlone(around, fields)))
        setAt(body, path, field.value);
    }
    return body;
  };

  return {
    of,
    update: (spec, { read, changed }, secrets) => {
      // Whether an API takes a part of an object for the whole is unknown, so all of its fields are sent.
      const rootOf = (name: string, field: RestField) => fieldPath(name, field)[0];
      const roots = new Set(changed.map(({ name, field }) => rootOf(name, field)));
      const own = of(
        spec,
        (name, field) =>
          !isFixed(definition, field) &&
          field.update === undefined &&
          (form !== 'changed' ||
            roots.has(rootOf(name, field)) ||
            !!field.writeOnly ||
            hasSecretWithin(field) ||
            (field.value !== undefined && field.within === undefined)),
        secrets,
        form === 'merged' ? read : {},
      );
      return { ...own, ...Object.fromEntries(echo.map((name) => [name, ownMember(read, name)])) };
    },
    patch: (own, { read, changed }, { values, within }) => {
      const spec = { ...own, ...within };
      const names = new Set([...changed.map(({ name }) => name), ...Object.keys(within)]);
      const set = Object.entries(fields)
        .filter(
          ([name, field]) => names.has(name) && field.update === undefined && !isFixed(definition, field),
        )
        .map(([name, field]): PathValue => [fieldPath(name, field), sentValue(ownMember(spec, name), field)]);
      return [...set, ...values].map(([path, value]) => ({
        op: valueAt(read, path) === undefined ? 'add' : 'replace',
        path: path.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join(''),
        value,
      }));
    },
  };
}

/** The spec sets nothing in the object at this path. */
const isAlone = (around: readonly string[], fields: RestDefinition['fields']) =>
  !Object.entries(fields).some(([name, field]) => {
    const path = fieldPath(name, field);
    return (
      field.value === undefined &&
      path.every((step, index) => around[index] === undefined || around[index] === step)
    );
  });
