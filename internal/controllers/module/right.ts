import type { AccessQuestion } from '../../kube/client/access-review.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';

/** What a right is needed for. */
export interface Purpose {
  /** For programs: `leader-election`. */
  readonly name: string;
  /** For people. */
  readonly neededFor: string;
  /** What still works without it; absent: nothing of what it is for does. */
  readonly otherwise?: string;
}

/** Something that the provider's user must be allowed to do on the management cluster. */
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
