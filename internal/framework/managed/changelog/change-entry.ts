import type { KubeObject } from '../../kube/object/object.ts';

/** The kind of an external write. */
export type Operation = 'create' | 'update' | 'delete';

/** One attempt to change an external resource, as in `ChangeLogEntry` of crossplane-runtime. */
export interface ChangeEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** `provider-kyma:v1.2.3`. */
  readonly provider: string;
  /** The resource after Observe, before this attempt changed anything. */
  readonly snapshot: KubeObject;
  /** The recorded name; a name that Create returns is not in its own entry. */
  readonly externalName: string | undefined;
  readonly operation: Operation;
  /** Present if the attempt failed. */
  readonly errorMessage?: string;
  readonly additionalDetails: Readonly<Record<string, string>>;
}
