import type { KubeObject } from '../../../internal/framework/kube/object/object.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { crdOf } from '../../environment/crd-of.ts';

/** A kind of the tests' own, with a status of its own and a rule that can be broken. */
export interface Widget extends KubeObject {
  spec?: { size?: number; parts?: { name: string; colour?: string }[] };
  status?: { phase?: string };
}

export function widgetType(kind: string): ResourceType {
  return {
    group: 'tests.example.org',
    version: 'v1',
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
  };
}

export const widgetCrd = (type: ResourceType) =>
  crdOf(type, {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        properties: {
          size: { type: 'integer', maximum: 10 },
          parts: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['name'],
            items: {
              type: 'object',
              required: ['name'],
              properties: { name: { type: 'string' }, colour: { type: 'string' } },
            },
          },
        },
      },
      status: { type: 'object', properties: { phase: { type: 'string' } } },
    },
  });
