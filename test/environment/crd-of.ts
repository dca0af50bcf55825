import { groupResource, type ResourceType } from '../../internal/framework/kube/object/resource-type.ts';
import type { Crd } from './install-crds.ts';

const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/**
 * A definition of a kind with one version, which has a status of its own.
 *
 * @param schema of its objects; default: they may have any field
 * @param more fields of the definition
 */
export function crdOf(type: ResourceType, schema: object = open, more: object = {}): Crd & object {
  const { group, version, kind, plural, namespaced } = type;
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: groupResource(type) },
    spec: {
      group,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          ...{ name: version, served: true, storage: true, subresources: { status: {} } },
          schema: { openAPIV3Schema: schema },
        },
      ],
      ...more,
    },
  };
  return definition;
}
