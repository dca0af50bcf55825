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

type Properties = Readonly<Record<string, Schema>>;

const string = (description: string, more: Partial<Schema> = {}): Schema => ({
  description,
  type: 'string',
  ...more,
});
const object = (description: string, properties: Properties, more: Partial<Schema> = {}): Schema => ({
  description,
  type: 'object',
  ...more,
  properties,
});
const generationNumber = (description: string): Schema => ({ description, type: 'integer', format: 'int64' });

const policy = object(
  'How the reference is resolved. Accepted for compatibility; references by name need no resolution.',
  {
    resolution: string(
      'Whether a reference that cannot be resolved is an error (Required) or is ignored (Optional).',
      { default: 'Required', enum: ['Required', 'Optional'] },
    ),
    resolve: string(
      'When the reference is resolved: on every reconcile (Always), or only while the field it fills is empty (IfNotPresent).',
      { enum: ['Always', 'IfNotPresent'] },
    ),
  },
);

const conditions: Schema = {
  description:
    'The observed state, with one entry for each condition type. Ready: whether the external resource can be used. Synced: whether the last reconcile succeeded.',
  type: 'array',
  items: object(
    'One aspect of the state of the object.',
    {
      type: string('Type of the condition, such as Ready or Synced.', { maxLength: 316 }),
      status: string('True, False or Unknown.', { maxLength: 16 }),
      reason: string('Reason of the status, as one word for programs.'),
      message: string('Reason of the status, as text for people. It never contains credentials.', {
        maxLength: 32768,
      }),
      lastTransitionTime: string('Time of the last change of the status of the condition.', {
        format: 'date-time',
      }),
      observedGeneration: generationNumber(
        'The metadata.generation that the condition belongs to. If it is lower than the current one, the condition does not include the latest change of the spec.',
      ),
    },
    { required: ['lastTransitionTime', 'reason', 'status', 'type'] },
  ),
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
};

const configReferences: Readonly<Record<Generation, Schema>> = {
  modern: object(
    'The provider configuration that is used.',
    {
      kind: string('ClusterProviderConfig, or ProviderConfig for one in the namespace of the resource.'),
      name: string('Name of the provider configuration.'),
    },
    { required: ['kind', 'name'] },
  ),
  legacy: object(
    'The ProviderConfig that is used.',
    { name: string('Name of the ProviderConfig.'), policy },
    { required: ['name'] },
  ),
};

export const standardSchema = (name: StandardName, generation: Generation): Schema =>
  name === 'conditions' ? conditions : configReferences[generation];

/** The fields of `spec` beside `forProvider`. */
export function managedSpec(generation: Generation, accepts: readonly RetiredName[]): Properties {
  const isLegacy = generation === 'legacy';
  const configRef = isLegacy ? { name: 'default' } : { kind: 'ClusterProviderConfig', name: 'default' };
  return {
    managementPolicies: {
      description:
        'What the provider may do with the external resource. "*", the default, allows everything; [Observe] only observes it; an empty list pauses the resource. Without Delete, or "*", the external resource stays when this object is deleted.',
      type: 'array',
      default: ['*'],
      items: string('One action, or "*" for all of them.', {
        enum: ['Observe', 'Create', 'Update', 'Delete', 'LateInitialize', '*'],
      }),
    },
    ...(isLegacy ? { deletionPolicy } : {}),
    providerConfigRef: { ...configReferences[generation], default: configRef },
    writeConnectionSecretToRef: isLegacy
      ? object(
          connectionSecret,
          { ...secretName, namespace: string('Namespace of the Secret.') },
          { required: ['name', 'namespace'] },
        )
      : object(`${connectionSecret} It is in the namespace of the resource.`, secretName, {
          required: ['name'],
        }),
    ...(isLegacy ? Object.fromEntries(accepts.map((name) => [name, retired[name]])) : {}),
  };
}

/** The fields of `status` beside `atProvider`. */
export const managedStatus: Properties = {
  conditions,
  observedGeneration: generationNumber('The metadata.generation that was reconciled last.'),
  lastHandledReconcileAt: string(
    'The value of the annotation crossplane.io/reconcile-requested-at that was handled last. Set the annotation to a new value to reconcile the resource at once.',
  ),
};

const deletionPolicy = string(
  'What happens to the external resource when this object is deleted: Delete, the default, deletes it; Orphan keeps it. managementPolicies other than "*" take precedence.',
  { default: 'Delete', enum: ['Orphan', 'Delete'] },
);

const connectionSecret = 'The Secret that connection details are written to. Without it none are written.';
const secretName = { name: string('Name of the Secret.') };

const strings = (description: string, maxLength: number): Schema => ({
  description,
  type: 'object',
  additionalProperties: { type: 'string', maxLength },
});

const retired: Readonly<Record<RetiredName, Schema>> = {
  publishConnectionDetailsTo: object(
    'Ignored; accepted so that manifests for earlier Crossplane releases apply unchanged. External secret stores no longer exist. Use writeConnectionSecretToRef.',
    {
      name: string('Ignored: name of the connection secret.'),
      configRef: object(
        'Ignored: the store configuration.',
        { name: string('Ignored: name of the store configuration.'), policy },
        { default: { name: 'default' }, required: ['name'] },
      ),
      metadata: object('Ignored: metadata of the connection secret.', {
        labels: strings('Ignored: labels of the connection secret.', 63),
        // All annotations of an object together.
        annotations: strings('Ignored: annotations of the connection secret.', 262144),
        type: string('Ignored: type of the connection secret.'),
      }),
    },
    { required: ['name'] },
  ),
};
