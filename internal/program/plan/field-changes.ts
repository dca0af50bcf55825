import { isObject, jsonEqual, mask, ownMember, redact } from '../../framework/base/index.ts';

/** One changed field. `from` is absent for a new field, `to` for a removed one. */
export interface FieldChange {
  /** `spec.forProvider.isDefault` */
  readonly path: string;
  readonly from?: unknown;
  readonly to?: unknown;
}

/** The fields that differ, sorted by path. Lists are compared as a whole. Credentials are masked. */
export function changesBetween(before: unknown, after: unknown, path = ''): FieldChange[] {
  if (jsonEqual(before, after)) return [];
  if (isObject(before) && isObject(after)) return membersOf(before, after, path);
  // A new or removed object is listed field by field.
  if (before === undefined && isObject(after)) return membersOf({}, after, path);
  if (after === undefined && isObject(before)) return membersOf(before, {}, path);
  return [
    {
      path,
      ...(before === undefined ? {} : { from: masked(path, before) }),
      ...(after === undefined ? {} : { to: masked(path, after) }),
    },
  ];
}

function membersOf(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  path: string,
): FieldChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .sort()
    .flatMap((name) =>
      changesBetween(ownMember(before, name), ownMember(after, name), path === '' ? name : `${path}.${name}`),
    );
}

/** Masks by the name of the field and by the form of the value, like `redact`. */
function masked(path: string, value: unknown): unknown {
  return maskedMember(path.split('.').at(-1) ?? '', value);
}

/** Redacts each string separately: `redact` could remove the end of a JSON text. */
function maskedMember(name: string, value: unknown): unknown {
  if (typeof value === 'string') return namesSecret(name) ? mask : redact(value);
  if (Array.isArray(value)) return value.map((item) => maskedMember(name, item));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([inner, member]) => [inner, maskedMember(inner, member)]),
  );
}

const namesSecret = (name: string): boolean => redact(JSON.stringify({ [name]: 'x' })).includes(mask);
