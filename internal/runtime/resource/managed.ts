import type { KubeObject } from '../../kube/object/object.ts';

/** One entry of `status.conditions`. `lastTransitionTime` has whole seconds. */
export interface Condition {
  type: string;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message?: string;
  lastTransitionTime: string;
  observedGeneration?: number;
}

export interface ManagedSpec {
  managementPolicies?: string[];
  deletionPolicy?: 'Delete' | 'Orphan';
  providerConfigRef?: { kind?: string; name: string };
  writeConnectionSecretToRef?: { name: string; namespace?: string };
}

export interface ManagedStatus {
  conditions?: Condition[];
  observedGeneration?: number;
  lastHandledReconcileAt?: string;
}

/** Fields of every managed resource; kinds add `spec.forProvider` and `status.atProvider`. */
export interface Managed extends KubeObject {
  spec: ManagedSpec;
  status?: ManagedStatus;
}
