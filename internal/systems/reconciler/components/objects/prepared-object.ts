import { createHash } from 'node:crypto';
import {
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  type ResourceType,
} from '../../../../framework/kube/index.ts';

/** An object of a manifest whose kind is known. */
export interface PreparedObject {
  /** A copy of its own, with the namespace in which it goes. */
  readonly object: KubeObject;
  readonly type: ResourceType;
  /** Where it was written, for messages. */
  readonly source: string;
}

/** Names an object for users: `Deployment shop/web`. */
export const nameOf = ({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string =>
  `${kind} ${keyString(keyOf({ apiVersion: '', kind, metadata }))}`;

/** Names an object in one cluster; the same for all versions of its kind. */
export const identityOf = (
  { group, kind }: Pick<ResourceType, 'group' | 'kind'>,
  { namespace = '', name }: ObjectKey,
): string => `${group}/${kind}/${namespace}/${name}`;

/** The group of an apiVersion; `''` for the core group. */
export const groupOf = (apiVersion: string): string =>
  apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';

/** The name of a component as labels and names of objects can have it, with a hash if that is another one. */
export function objectNameOf(component: string): string {
  if (/^[a-z0-9]([a-z0-9-]{0,40}[a-z0-9])?$/.test(component)) return component;
  const hash = createHash('sha256').update(component).digest('hex').slice(0, 12);
  const readable = component
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '-')
    .slice(0, 32);
  return `x-${readable}-${hash}`;
}

const MAX_LENGTH = 63;
const isAlphanumeric = (character: string | undefined): boolean =>
  character === undefined || /[A-Za-z0-9]/.test(character);

/** A text in the form that values of labels have: a version may be a branch with slashes. */
export function labelValue(text: string): string {
  let value = text.slice(0, MAX_LENGTH).replace(/[^A-Za-z0-9._-]/g, '-');
  while (!isAlphanumeric(value[0])) value = value.slice(1);
  while (!isAlphanumeric(value.at(-1))) value = value.slice(0, -1);
  return value;
}
