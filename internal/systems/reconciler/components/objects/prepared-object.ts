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
