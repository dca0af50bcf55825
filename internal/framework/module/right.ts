import type { AccessQuestion } from '../kube/client/access-review.ts';
import type { ResourceType } from '../kube/object/resource-type.ts';

/** What a right is needed for. */
export interface Purpose {
  /** Stable identifier: `leader-election`. */
  readonly name: string;
  /** Description for users. */
  readonly neededFor: string;
  /** What still works without the right; absent: nothing that needs it. */
  readonly otherwise?: string;
}

/** A right that the provider's user needs on the management cluster. */
export interface RequiredRight extends AccessQuestion {
  readonly purpose: Purpose;
}

export const rightsFor = (
  purpose: Purpose,
  type: ResourceType,
  verbs: readonly string[],
  subresource?: string,
): RequiredRight[] =>
  verbs.map((verb) => ({ verb, type, purpose, ...(subresource === undefined ? {} : { subresource }) }));

/** The rights in each of these namespaces; undefined: in all, as they are. */
export const inNamespaces = (
  rights: readonly RequiredRight[],
  namespaces: readonly string[] | undefined,
): readonly RequiredRight[] =>
  namespaces === undefined
    ? rights
    : namespaces.flatMap((namespace) => rights.map((right) => ({ ...right, namespace })));
