import type { ControlPlaneAccess } from '../../hack/control-planes/access/access.ts';
import { groupResource, type ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import {
  serviceBindings,
  serviceInstances,
} from '../../internal/systems/inventory/kymainstancemapping/inputs/btp-operator-types.ts';
import { installCrds } from './install-crds.ts';

/**
 * The kinds of the SAP BTP service operator with a schema that accepts everything, so that tests can store what a
 * future version, or a mistake, might: a number where a string belongs, a status without conditions.
 */
export async function installBtpKinds(plane: Pick<ControlPlaneAccess, 'request'>): Promise<void> {
  await installCrds(plane, [serviceInstances, serviceBindings].map(definitionOf));
}

function definitionOf({ group, version, kind, plural }: ResourceType) {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: groupResource({ group, version, kind, plural, namespaced: true }) },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: open },
        },
      ],
    },
  };
}
