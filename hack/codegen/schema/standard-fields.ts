/**
 * Fields common to all Crossplane resources, in two forms: *legacy* resources are cluster-scoped (Crossplane v1),
 * *modern* ones are namespaced (v2). Names, types and defaults are those of crossplane-runtime (apis/common), so
 * compositions and tools work.
 */
import type { Form, RetiredName, Schema, StandardName } from '../source/source.ts';

export type Generation = 'legacy' | 'modern';

/** Only a modern kind is namespaced or, as cluster-wide configuration, belongs to one that is. */
export function generationOf(form: Form): Generation {
  return form.scope === 'Namespaced' || form.group.split('.').includes('m') ? 'modern' : 'legacy';
}

const policy: Schema = {
  description:
    'How the reference is resolved. Accepted for compatibility; references by name need no resolution.',
  type: 'object',
  properties: {
    resolution: {
      description:
        'Whether a reference that cannot be resolved is an error (Required) or is ignored (Optional).',
      type: 'string',
      default: 'Required',
      enum: ['Required', 'Optional'],
    },
    resolve: {
      description:
        'When the reference is resolved: on every reconcile (Always), or only while the field it fills is empty (IfNotPresent).',
      type: 'string',
      enum: ['Always', 'IfNotPresent'],
    },
  },
};

const standards: Readonly<Record<StandardName, (generation: Generation) => Schema>> = {
  conditions: () => ({
    description:
      'The observed state, with one entry for each condition type. Ready: whether the external resource can be used. Synced: whether the last reconcile succeeded.',
    type: 'array',
    items: {
      description: 'One aspect of the state of the object.',
      type: 'object',
      required: ['lastTransitionTime', 'reason', 'status', 'type'],
      properties: {
        type: {
          description: 'Type of the condition, such as Ready or Synced.',
          type: 'string',
          maxLength: 316,
        },
        status: { description: 'True, False or Unknown.', type: 'string', maxLength: 16 },
        reason: {
          description: 'Reason of the status, as one word for programs.',
          type: 'string',
        },
        message: {
          description: 'Reason of the status, as text for people. It never contains credentials.',
          type: 'string',
          maxLength: 32768,
        },
        lastTransitionTime: {
          description: 'Time of the last change of the status of the condition.',
          type: 'string',
          format: 'date-time',
        },
        observedGeneration: {
          description:
            'The metadata.generation that the condition belongs to. If it is lower than the current one, the condition does not include the latest change of the spec.',
          type: 'integer',
          format: 'int64',
        },
      },
    },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  }),
  providerConfigReference: (generation) =>
    generation === 'modern'
      ? {
          description: 'The provider configuration that is used.',
          type: 'object',
          required: ['kind', 'name'],
          properties: {
            kind: {
              description:
                'ClusterProviderConfig, or ProviderConfig for one in the namespace of the resource.',
              type: 'string',
            },
            name: { description: 'Name of the provider configuration.', type: 'string' },
          },
        }
      : {
          description: 'The ProviderConfig that is used.',
          type: 'object',
          required: ['name'],
          properties: {
            name: { description: 'Name of the ProviderConfig.', type: 'string' },
            policy,
          },
        },
};

export function standardSchema(name: StandardName, generation: Generation): Schema {
  return standards[name](generation);
}

/** The fields of `spec` beside `forProvider`. */
export function managedSpec(
  generation: Generation,
  accepts: readonly RetiredName[],
): Readonly<Record<string, Schema>> {
  return {
    managementPolicies: {
      description:
        'What the provider may do with the external resource. "*", the default, allows everything; [Observe] only observes it; an empty list pauses the resource. Without Delete, or "*", the external resource stays when this object is deleted.',
      type: 'array',
      default: ['*'],
      items: {
        description: 'One action, or "*" for all of them.',
        type: 'string',
        enum: ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize', '*'],
      },
    },
    ...(generation === 'legacy' ? { deletionPolicy } : {}),
    providerConfigRef: {
      ...standardSchema('providerConfigReference', generation),
      default:
        generation === 'modern' ? { kind: 'ClusterProviderConfig', name: 'default' } : { name: 'default' },
    },
    writeConnectionSecretToRef: connectionSecretReference(generation),
    ...(generation === 'legacy' ? Object.fromEntries(accepts.map((name) => [name, retired[name]])) : {}),
  };
}

/** The fields of `status` beside `atProvider`. */
export function managedStatus(generation: Generation): Readonly<Record<string, Schema>> {
  return {
    conditions: standardSchema('conditions', generation),
    observedGeneration: {
      description: 'The metadata.generation that was reconciled last.',
      type: 'integer',
      format: 'int64',
    },
    lastHandledReconcileAt: {
      description:
        'The value of the annotation crossplane.io/reconcile-requested-at that was handled last. Set the annotation to a new value to reconcile the resource at once.',
      type: 'string',
    },
  };
}

const deletionPolicy: Schema = {
  description:
    'What happens to the external resource when this object is deleted: Delete, the default, deletes it; Orphan keeps it. managementPolicies other than "*" take precedence.',
  type: 'string',
  default: 'Delete',
  enum: ['Orphan', 'Delete'],
};

function connectionSecretReference(generation: Generation): Schema {
  const description = 'The Secret that connection details are written to. Without it none are written.';
  const name: Schema = { description: 'Name of the Secret.', type: 'string' };
  return generation === 'modern'
    ? {
        description: `${description} It is in the namespace of the resource.`,
        type: 'object',
        required: ['name'],
        properties: { name },
      }
    : {
        description,
        type: 'object',
        required: ['name', 'namespace'],
        properties: { name, namespace: { description: 'Namespace of the Secret.', type: 'string' } },
      };
}

const retired: Readonly<Record<RetiredName, Schema>> = {
  publishConnectionDetailsTo: {
    description:
      'Ignored; accepted so that manifests for earlier Crossplane releases apply unchanged. External secret stores no longer exist. Use writeConnectionSecretToRef.',
    type: 'object',
    required: ['name'],
    properties: {
      name: { description: 'Ignored: name of the connection secret.', type: 'string' },
      configRef: {
        description: 'Ignored: the store configuration.',
        type: 'object',
        default: { name: 'default' },
        required: ['name'],
        properties: {
          name: { description: 'Ignored: name of the store configuration.', type: 'string' },
          policy,
        },
      },
      metadata: {
        description: 'Ignored: metadata of the connection secret.',
        type: 'object',
        properties: {
          labels: {
            description: 'Ignored: labels of the connection secret.',
            type: 'object',
            additionalProperties: { type: 'string', maxLength: 63 },
          },
          annotations: {
            description: 'Ignored: annotations of the connection secret.',
            type: 'object',
            // All annotations of an object together.
            additionalProperties: { type: 'string', maxLength: 262144 },
          },
          type: { description: 'Ignored: type of the connection secret.', type: 'string' },
        },
      },
    },
  },
};
