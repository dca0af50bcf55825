/** The kinds of the cases. */

import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import {
  configMaps,
  groupResource,
  type ResourceType,
} from '../../../internal/framework/kube/object/resource-type.ts';

/** An object of any of the kinds: `spec` or `data` has the content. */
export interface Content extends KubeObject {
  spec?: Record<string, unknown>;
  data?: Record<string, string>;
  status?: Record<string, unknown>;
}

export const contractConfigMaps: ResourceType<Content> = configMaps;

export const contractWidgets: ResourceType<Content> = {
  group: 'contract.example.org',
  version: 'v1',
  kind: 'ContractWidget',
  plural: 'contractwidgets',
  namespaced: true,
};
export const clusterWidgets: ResourceType<Content> = {
  ...contractWidgets,
  kind: 'ClusterContractWidget',
  plural: 'clustercontractwidgets',
  namespaced: false,
};
/** No server has it. */
export const unservedWidgets: ResourceType<Content> = {
  ...contractWidgets,
  kind: 'UnservedWidget',
  plural: 'unservedwidgets',
};

/** As most kinds declare their fields: maps are granular, lists atomic, conditions have the key `type`. */
export const contractCrds = [contractWidgets, clusterWidgets].map((type) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: groupResource(type) },
  spec: {
    group: type.group,
    scope: type.namespaced ? 'Namespaced' : 'Cluster',
    names: {
      kind: type.kind,
      plural: type.plural,
      singular: type.kind.toLowerCase(),
      listKind: `${type.kind}List`,
    },
    versions: [
      {
        name: type.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  colour: { type: 'string' },
                  shape: { type: 'string' },
                  tags: { type: 'array', items: { type: 'string' } },
                  parts: { type: 'object', additionalProperties: { type: 'string' } },
                },
              },
              status: {
                type: 'object',
                properties: {
                  phase: { type: 'string' },
                  note: { type: 'string' },
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type', 'status'],
                      properties: { type: { type: 'string' }, status: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
}));
