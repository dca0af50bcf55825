/**
 * Which fields of a Shoot the last rendering set, in an annotation of the Shoot: so that a field which is taken out of a Runtime is
 * taken out of its Shoot, and what others set stays. docs/decisions/0029 says why this is not read from `managedFields`.
 */
import { hash } from 'node:crypto';
import type { Shoot } from '../../../../apis/gardener/kinds.ts';
import { isObject, ownMember } from '../../../framework/base/index.ts';

import { annotationGracePeriod, annotationRuntimeGeneration } from '../metadata.ts';
import { canonicalValue, isEmpty } from './canonical-value.ts';

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

/** The record of the value: its digest, or that of its fields. */
export function fieldsOf(value: unknown, field = '', parent = ''): string | AppliedFields {
  const members = membersOf(value, field);
  if (members === undefined || members.size === 0) return digestOf(value, field, parent);
  const inner = [...members].filter(([, member]) => !isEmpty(member));
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
