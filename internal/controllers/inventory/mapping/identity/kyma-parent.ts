import { kymaInstanceMappings } from '../../../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import type { KubeObject, OwnerReference } from '../../../../kube/object/object.ts';

/**
 * The KymaInstanceMapping that an object belongs to, if any. SAP's Go provider makes an InstanceMapping for each; here
 * a KymaInstanceMapping keeps its mapping itself, and what is left of such a child must not be acted upon.
 */
export function kymaParentOf({ metadata }: KubeObject): OwnerReference | undefined {
  const { group, kind } = kymaInstanceMappings;
  return metadata.ownerReferences?.find(
    (owner) => owner.kind === kind && owner.apiVersion.startsWith(`${group}/`),
  );
}
