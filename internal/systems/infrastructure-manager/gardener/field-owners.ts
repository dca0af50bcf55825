/** Who owns the fields of a Shoot, by its `managedFields`, which only a Shoot has that was read by a GET. */
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { isObject, ownMember, valueAt } from '../../../framework/base/index.ts';

import { annotationRuntimeGeneration, FIELD_MANAGER } from '../metadata.ts';
import { type AppliedFields, keyOfList, membersOf } from './applied-fields.ts';
import { isEmpty } from './canonical-value.ts';

interface ManagedFields {
  readonly manager: string;
  readonly fields: unknown;
}

function managedFieldsOf({ metadata }: Shoot): readonly ManagedFields[] {
  return (metadata.managedFields ?? []).flatMap((entry: unknown) => {
    const [manager, subresource] = [valueAt(entry, ['manager']), valueAt(entry, ['subresource'])];
    if (typeof manager !== 'string' || (typeof subresource === 'string' && subresource !== '')) return [];
    return [{ manager, fields: valueAt(entry, ['fieldsV1']) }];
  });
}

function owns({ fields }: ManagedFields, path: readonly string[]): boolean {
  let inner = fields;
  for (const [index, name] of path.entries()) {
    if (isObject(inner) && Object.keys(inner).length === 0) return index > 0;
    const key = keyOfList(path[index - 1] ?? '');
    const entry = key === undefined ? undefined : valueAt(inner, [`k:${JSON.stringify({ [key]: name })}`]);
    inner = entry ?? valueAt(inner, [`f:${name}`]);
    if (inner === undefined) return false;
  }
  return true;
}

const GENERATION = ['metadata', 'annotations', annotationRuntimeGeneration];

/** The field managers of programs that render Shoots: this one, and the Go program. */
const isRenderer = (entry: ManagedFields): boolean =>
  entry.manager === FIELD_MANAGER || owns(entry, GENERATION);

/** The field managers of others that own the field. */
export const otherOwnersOf = (shoot: Shoot, path: readonly string[]): readonly string[] => [
  ...new Set(
    managedFieldsOf(shoot)
      .filter((entry) => !isRenderer(entry) && owns(entry, path))
      .map(({ manager }) => manager),
  ),
];

/** What a Runtime may take out again. Other fields of a rendering are always there, or depend on the configuration. */
const OPTIONAL: readonly (readonly string[])[] = [
  ['spec', 'provider', 'workers'],
  ['spec', 'kubernetes', 'kubeAPIServer', 'oidcConfig'],
  ['spec', 'seedSelector'],
  ['spec', 'accessRestrictions'],
  ['metadata', 'annotations', 'infrastructuremanager.kyma-project.io/licence-type'],
];

/**
 * What stands in for the record of the last rendering in a Shoot that has none, because the Go program or a former version of this one
 * wrote it: the optional fields that such a program owns. Defaults of Gardener are among them, which come back when they are removed.
 */
export function fieldsOfRenderers(shoot: Shoot): AppliedFields {
  const all = managedFieldsOf(shoot);
  const renderers = all.filter(isRenderer);
  const isOwn = (path: readonly string[]) => all.length === 0 || renderers.some((entry) => owns(entry, path));
  const recordOf = (value: unknown, path: readonly string[]): string | AppliedFields | undefined => {
    const members = membersOf(value, path.at(-1) ?? '');
    if (members === undefined || members.size === 0) return isOwn(path) ? UNKNOWN_VALUE : undefined;
    return present([...members].map(([name, member]) => [name, recordOf(member, [...path, name])]));
  };
  return OPTIONAL.reduce<AppliedFields>((record, path) => {
    const value = valueAt(shoot, path);
    const found = isEmpty(value) ? undefined : recordOf(value, path);
    return found === undefined ? record : withField(record, path, found);
  }, {});
}

const UNKNOWN_VALUE = '';

function present(members: readonly (readonly [string, string | AppliedFields | undefined])[]) {
  const found = members.flatMap(([name, member]) => (member === undefined ? [] : [[name, member] as const]));
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function withField(
  record: AppliedFields,
  [name = '', ...rest]: readonly string[],
  value: string | AppliedFields,
): AppliedFields {
  const before = ownMember(record, name);
  const inner = rest.length === 0 ? value : withField(typeof before === 'object' ? before : {}, rest, value);
  return { ...record, [name]: inner };
}
