import type { Condition } from '../../kube/object/condition.ts';
import type { KubeObject } from '../../kube/object/object.ts';

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
