/**
 * Whose the fields of a Shoot are. Which of them the last rendering set is in an annotation of the Shoot: so that a field which is taken
 * out of a Runtime is taken out of its Shoot, and what others set stays. docs/decisions/0029 says why this is not read from
 * `managedFields`, which name the others for messages.
 */
import { hash } from 'node:crypto';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { isObject, ownMember, valueAt } from '../../../framework/base/index.ts';
import { annotationGracePeriod, annotationRuntimeGeneration, FIELD_MANAGER } from '../metadata.ts';
import { canonicalValue, isEmpty, isEmptyObject } from './canonical-value.ts';

export const annotationAppliedFields = 'infrastructuremanager.kyma-project.io/applied-fields';

/** Which rules a Shoot was rendered by. Part of the record; records of former rules have none. */
const RENDERING = '1.41';

/** Fields by name, and entries of a list by theirs. A text is the digest of a value; empty: the value is not known. */
export interface AppliedFields {
  readonly [field: string]: string | AppliedFields;
}

/** Lists whose entries are fields, by the member that names an entry. Gardener, or the rendering, joins them with those of others. */
const KEYED: Readonly<Record<string, string>> = { workers: 'name', extensions: 'type', resources: 'name' };

/** Documents that an extension of Gardener defines. They are one value, as for Gardener. */
const DOCUMENTS: ReadonlySet<string> = new Set([
  'providerConfig',
  'infrastructureConfig',
  'controlPlaneConfig',
]);

/** The fields of the value by name, or of a list by the names of its entries; undefined: it is one value. */
export function membersOf(value: unknown, field: string): ReadonlyMap<string, unknown> | undefined {
  const key = keyOfList(field);
  if (Array.isArray(value)) {
    if (key === undefined || !value.every((item) => typeof ownMember(item, key) === 'string'))
      return undefined;
    return new Map(value.map((item) => [String(ownMember(item, key)), item]));
  }
  return isObject(value) && !DOCUMENTS.has(field) ? new Map(Object.entries(value)) : undefined;
}

export const keyOfList = (field: string): string | undefined => ownMember(KEYED, field);

export const digestOf = (value: unknown, field: string, parent: string): string =>
  hash('sha256', JSON.stringify(canonicalValue(value, field, parent)) ?? '', 'base64url').slice(0, 6);

/** The record of the value: its digest, or that of its fields. Gardener stores an object without fields, and a record has it. */
export function fieldsOf(value: unknown, field = '', parent = ''): string | AppliedFields {
  const members = membersOf(value, field);
  if (members === undefined) return digestOf(value, field, parent);
  const inner = [...members].filter(([name, member]) => !isEmpty(member) || isEmptyObject(member, name));
  return Object.fromEntries(inner.map(([name, member]) => [name, fieldsOf(member, name, field)]));
}

/** A Shoot may have annotations of 256 KiB in all. */
const MAX_BYTES = 2 ** 17;

/** The annotation; undefined if the record is too long, so that the Shoot is like one without. */
export function appliedFieldsText(fields: AppliedFields, generation: string): string | undefined {
  const text = JSON.stringify({ generation, rendering: RENDERING, ...fields });
  return Buffer.byteLength(text) > MAX_BYTES ? undefined : text;
}

/**
 * The record in a Shoot.
 *
 * @param generation of the Runtime, as the Shoot has it: a record of another one is of a rendering before the last one, by a program
 *   that writes no records
 */
export function readAppliedFields(
  { metadata }: Shoot,
  generation: string | undefined,
): AppliedFields | undefined {
  const text = metadata.annotations?.[annotationAppliedFields];
  if (text === undefined || generation === undefined) return undefined;
  try {
    const { generation: recorded, rendering: _, ...fields } = JSON.parse(text) as AppliedFields;
    return recorded === generation && isRecord(fields) ? fields : undefined;
  } catch {
    return undefined;
  }
}

const isRecord = (value: unknown): value is AppliedFields =>
  isObject(value) && Object.values(value).every((member) => typeof member === 'string' || isRecord(member));

/** Whether the last rendering of the Shoot was by the rules of today: of this program, or of the Go program of today. */
export function isRenderedToday(shoot: Shoot): boolean {
  const { annotations = {} } = shoot.metadata;
  if (readAppliedFields(shoot, annotations[annotationRuntimeGeneration]) === undefined)
    return annotations[annotationGracePeriod] !== undefined;
  const record: unknown = JSON.parse(annotations[annotationAppliedFields] ?? '');
  return isObject(record) && record.rendering === RENDERING;
}

// Who owns the fields of a Shoot, by its `managedFields`, which only a Shoot has that was read by a GET.

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
