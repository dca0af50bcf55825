import type { KubeObject } from '../../kube/object/object.ts';

/** What was asked of the other side. */
export type Operation = 'create' | 'update' | 'delete';

/** One attempt to change something on the other side, as the change log tells it. Rule: managed-framework §7.3. */
export interface ChangeEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** `provider-kyma:v1.2.3`. */
  readonly provider: string;
  /** The resource as it was after Observe, before anything was changed for this attempt. */
  readonly snapshot: KubeObject;
  /** As recorded then: what Create learns is not in its own entry. */
  readonly externalName: string | undefined;
  readonly operation: Operation;
  /** Present if the attempt failed. */
  readonly errorMessage?: string;
  readonly additionalDetails: Readonly<Record<string, string>>;
}
