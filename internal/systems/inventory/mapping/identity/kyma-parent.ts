import { kymaInstanceMappings } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { KubeObject, OwnerReference } from '../../../../framework/kube/index.ts';

/**
 * The KymaInstanceMapping that owns the object, if any. SAP's Go provider created an InstanceMapping for each
 * KymaInstanceMapping. This provider does not, and does not reconcile such a child.
 */
export function kymaParentOf({ metadata }: KubeObject): OwnerReference | undefined {
  const { group, kind } = kymaInstanceMappings;
  return metadata.ownerReferences?.find(
    (owner) => owner.kind === kind && owner.apiVersion.startsWith(`${group}/`),
  );
}
