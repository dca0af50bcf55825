import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { crdOf } from '../../environment/crd-of.ts';

const text = { type: 'string' };

/**
 * A CRD with the standard managed fields of a namespaced kind and a field that the code does not know.
 *
 * @param more schemas of further fields under `spec.forProvider`
 */
export function thingCrd(type: ResourceType, more: object = {}): object {
  const condition = {
    type: 'object',
    required: ['lastTransitionTime', 'reason', 'status', 'type'],
    properties: {
      type: text,
      status: text,
      reason: text,
      message: text,
      lastTransitionTime: { type: 'string', format: 'date-time' },
      observedGeneration: { type: 'integer', format: 'int64' },
    },
  };
  const schema = {
    type: 'object',
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['forProvider'],
        properties: {
          managementPolicies: { type: 'array', default: ['*'], items: text },
          writeConnectionSecretToRef: { type: 'object', required: ['name'], properties: { name: text } },
          forProvider: {
            type: 'object',
            required: ['size'],
            properties: { size: { type: 'integer' }, colour: text, ...more },
          },
        },
      },
      status: {
        type: 'object',
        properties: {
          conditions: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['type'],
            items: condition,
          },
          lastHandledReconcileAt: text,
          observedGeneration: { type: 'integer', format: 'int64' },
          atProvider: { type: 'object', properties: { size: { type: 'integer' } } },
        },
      },
    },
  };
  return crdOf(type, schema);
}
