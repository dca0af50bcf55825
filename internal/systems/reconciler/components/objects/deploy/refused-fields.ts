/**
 * Fields that API servers refuse, and what becomes of them: unknown ones are left out, changes of immutable ones end the apply with their
 * names, and those that an earlier apply has left are claimed, so that the next one removes them.
 */
import {
  cloneJson,
  findCause,
  isObject,
  ownMember,
  ProviderError,
  valueAt,
} from '../../../../../framework/base/index.ts';
import {
  KubeApiError,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';
import { ifFound } from '../known-types.ts';
import { entriesOf, type FieldSet, isOwn, unionOf, writeManagedFields } from '../managed-fields.ts';
import { nameOf } from '../prepared-object.ts';

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
  const removed = paths.filter((path) => remove(copy, segmentsOf(path)));
  return removed.length === 0 ? undefined : { object: copy, paths: removed };
}

function remove(value: unknown, [segment, ...rest]: readonly string[]): boolean {
  if (segment === undefined) return false;
  if (segment.startsWith('[')) {
    const items = Array.isArray(value) ? itemsAt(value, segment) : [];
    return items.map((item) => remove(item, rest)).includes(true);
  }
  if (!isObject(value) || ownMember(value, segment) === undefined) return false;
  return rest.length > 0 ? remove(value[segment], rest) : Reflect.deleteProperty(value, segment);
}

/** A change of fields that cannot change. The object must be deleted before the chart can create it anew. */
class ImmutableFieldError extends ProviderError {
  /** `Deployment shop/web` */
  readonly object: string;
  /** `spec.selector` */
  readonly fields: readonly string[];

  constructor(object: KubeObject, fields: readonly string[], cause: unknown) {
    super(
      'terminal',
      `cannot change ${fields.join(', ')} of ${nameOf(object)}: immutable; delete the object so that it is created anew`,
      { cause },
    );
    this.object = nameOf(object);
    this.fields = fields;
  }
}

/** The immutable fields that the API server names in its refusal; undefined if that is not why it refused. */
export function asImmutable(object: KubeObject, error: unknown): ImmutableFieldError | undefined {
  const refusal = findCause(error, KubeApiError);
  if (refusal?.status !== 422) return undefined;
  const causes = refusal.details?.causes ?? [];
  const fields = causes.filter(({ message = '' }) => saysImmutable(message)).map(({ field }) => field ?? '');
  const named = [...new Set(fields.filter((field) => field !== ''))];
  return named.length === 0 ? undefined : new ImmutableFieldError(object, named, error);
}

/** Texts of API servers, for all kinds of this sort. */
const IMMUTABLE = [
  'immutable',
  'may not be changed',
  'may not be updated',
  'may not change',
  'cannot change',
  'are forbidden',
];

const saysImmutable = (message: string): boolean =>
  IMMUTABLE.some((text) => message.toLowerCase().includes(text));

/*
 * Fields that no manager owns, and that server-side apply therefore leaves where they contradict what is applied: defaults of the API
 * server that belong to another value of a field beside them, and fields that have a second name. The next apply removes them if they
 * are this program's.
 */

/** `['spec', 'strategy', 'rollingUpdate']` */
type FieldPath = readonly string[];

/**
 * The fields that the API server names in its refusal and that the applied object does not have: `spec.strategy.rollingUpdate`, a
 * default, is forbidden for the strategy `Recreate`. Fields in lists are left out: they go with what was applied beside them.
 */
export function contradictedFields(applied: KubeObject, refusal: unknown): readonly FieldPath[] {
  const error = findCause(refusal, KubeApiError);
  if (error?.status !== 422) return [];
  return (error.details?.causes ?? []).flatMap(({ field = '', message = '' }) => {
    const path = field.split('.');
    const isPlain = /^spec(\.\w+)+$/.test(field) && !saysImmutable(message);
    return isPlain && valueAt(applied, path) === undefined ? [path] : [];
  });
}

/** Where kinds of workloads have their pods. */
const PODS: ReadonlyMap<string, FieldPath> = new Map([
  ['apps/DaemonSet', ['spec', 'template', 'spec']],
  ['apps/Deployment', ['spec', 'template', 'spec']],
  ['apps/ReplicaSet', ['spec', 'template', 'spec']],
  ['apps/StatefulSet', ['spec', 'template', 'spec']],
  ['batch/CronJob', ['spec', 'jobTemplate', 'spec', 'template', 'spec']],
]);
/** API servers store it under both names, and take the one from the other. */
const ACCOUNT = ['serviceAccount', 'serviceAccountName'] as const;

/** The service account of pods that the applied object does not name any more; empty if there is none, or it is of others. */
export function leftAccount(
  { group, kind }: Pick<ResourceType, 'group' | 'kind'>,
  applied: KubeObject,
  live: KubeObject,
): readonly FieldPath[] {
  const pods = PODS.get(`${group}/${kind}`);
  if (pods === undefined) return [];
  const fields = ACCOUNT.map((name) => [...pods, name]);
  const isLeft =
    fields.every((field) => valueAt(applied, field) === undefined) &&
    fields.some((field) => typeof valueAt(live, field) === 'string' && valueAt(live, field) !== '');
  const isOwned = fields.some((field) =>
    entriesOf(live).some((entry) => valueAt(entry.fields, namesOf(field)) !== undefined),
  );
  return isLeft && !isOwned ? fields : [];
}

interface ClaimOptions {
  readonly object: KubeObject;
  readonly fields: readonly FieldPath[];
  readonly signal: AbortSignal;
}

/**
 * Makes the fields this program's alone, so that its next apply removes them.
 *
 * @returns whether there were any
 * @throws `conflict`, or `terminal` as the refusal of a patch, if the object was changed since
 */
export async function claimFields(
  client: Pick<KubeClient, 'get' | 'jsonPatch'>,
  type: ResourceType,
  { object, fields, signal }: ClaimOptions,
): Promise<boolean> {
  if (fields.length === 0) return false;
  const live = await ifFound(client.get(type, keyOf(object), { signal }));
  const found = fields.filter((field) => valueAt(live, field) !== undefined);
  const entries = live === undefined ? [] : entriesOf(live);
  if (live === undefined || found.length === 0 || !entries.some(isOwn)) return false;
  const managedFields = entries.flatMap((entry) => {
    const sets = found.map((field) => setOf(namesOf(field), valueAt(live, field)));
    if (isOwn(entry)) return [{ ...(entry.raw as object), fieldsV1: sets.reduce(unionOf, entry.fields) }];
    const left = found.reduce((rest, field) => without(rest, namesOf(field)), entry.fields);
    return Object.keys(left).length === 0 ? [] : [{ ...(entry.raw as object), fieldsV1: left }];
  });
  await writeManagedFields(client, type, live, { managedFields, signal });
  return true;
}

/** As in managed fields. */
const namesOf = (field: FieldPath): readonly string[] => field.map((name) => `f:${name}`);

/** The field and all in it. */
const setOf = ([name, ...rest]: readonly string[], value: unknown): FieldSet =>
  name === undefined ? membersOf(value) : { [name]: setOf(rest, value) };

const membersOf = (value: unknown): FieldSet =>
  isObject(value)
    ? {
        '.': {},
        ...Object.fromEntries(Object.entries(value).map(([name, each]) => [`f:${name}`, membersOf(each)])),
      }
    : {};

function without(fields: FieldSet, [name = '', ...rest]: readonly string[]): FieldSet {
  const inner = ownMember(fields, name);
  if (inner === undefined) return fields;
  const { [name]: _, ...others } = fields;
  const left = rest.length > 0 && isObject(inner) ? without(inner, rest) : {};
  return Object.keys(left).length === 0 ? others : { ...others, [name]: left };
}

/* Paths of fields as API servers write them: `.spec.containers[name="web"].env`. */

/** `spec`, `containers`, `[name="web"]`, `env` */
export const segmentsOf = (path: string): readonly string[] => path.match(/\[[^[\]]*\]|[^.[\]]+/g) ?? [];

/** @param segment `[0]`: by position; `[name="web"]`: by keys, of which those with a default may be missing */
export function itemsAt(list: readonly unknown[], segment: string): readonly unknown[] {
  const selector = segment.slice(1, -1);
  return /^\d+$/.test(selector) ? [list[Number(selector)]] : list.filter((item) => hasKeys(item, segment));
}

/** Whether the item has these keys: `[containerPort=80,protocol="TCP"]`. */
export const hasKeys = (item: unknown, segment: string): boolean =>
  isObject(item) &&
  keysOf(segment).every(([name, text]) => {
    const value = ownMember(item, name);
    return value === undefined || String(value) === text;
  });

/** The names of the keys of a segment, and their values as texts. */
export const keysOf = (segment: string): readonly (readonly [name: string, text: string])[] =>
  segment
    .slice(1, -1)
    .split(',')
    .map((part) => {
      const [name = '', text = ''] = part.split('=', 2);
      return [name, text.replaceAll('"', '')];
    });
