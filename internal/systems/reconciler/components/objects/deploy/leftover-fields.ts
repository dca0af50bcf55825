/**
 * Fields that no manager owns, and that server-side apply therefore leaves where they contradict what is applied: defaults of the API
 * server that belong to another value of a field beside them, and fields that have a second name. The next apply removes them if they
 * are this program's.
 */
import { findCause, isObject, ownMember, valueAt } from '../../../../../framework/base/index.ts';
import {
  isNotFound,
  KubeApiError,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ResourceType,
} from '../../../../../framework/kube/index.ts';
import { entriesOf, type FieldSet, isOwn, unionOf, writeManagedFields } from '../managed-fields.ts';
import { saysImmutable } from './immutable-fields.ts';

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
 * Makes the fields this program's, and nobody else's, so that its next apply removes them.
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
  const live = await client.get(type, keyOf(object), { signal }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
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
