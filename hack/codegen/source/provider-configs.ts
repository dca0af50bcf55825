/**
 * `providerConfigs` in `apis/<group>/group.yaml` states the kinds with which a provider is configured: ProviderConfig and
 * ProviderConfigUsage for cluster-scoped resources; ProviderConfig, ClusterProviderConfig and ProviderConfigUsage for
 * namespaced ones. Names, columns and fields are those of Crossplane's providers.
 */
import type { Kind } from './kinds.ts';
import { readSchema } from './read-schema.ts';
import { readColumn, versionPattern } from './read-source.ts';
import type { Column, Form, PlainSource, Schema } from './source.ts';
import { fail, listOf, type Place, recordOf, stringOf, stringsOf } from './strict-yaml.ts';

export interface ProviderConfigKinds {
  /** In three forms. */
  readonly config: Kind;
  /** In two forms. */
  readonly usage: Kind;
}

/** @param folder of the CRDs */
export function readProviderConfigs(
  place: Place,
  { group, folder }: { readonly group: string; readonly folder: string },
): ProviderConfigKinds {
  const [system = '', ...domain] = group.split('.');
  const stated = recordOf(
    place,
    { version: readVersion },
    {
      namespacedGroup: stringOf,
      description: stringOf,
      categories: stringsOf,
      columns: (at) => listOf(at).map(readColumn),
      spec: readSchema,
    },
  );
  const { version, namespacedGroup = [system, 'm', ...domain].join('.'), spec } = stated;
  const form = (scope: Form['scope'], of: string, kind: string): Form => {
    const singular = kind.toLowerCase();
    return { scope, group: of, kind, singular, plural: `${singular}s`, emit: true };
  };
  const both = (kind: string) => [form('Cluster', group, kind), form('Namespaced', namespacedGroup, kind)];
  const common = {
    version,
    served: true,
    storage: true,
    deprecated: false,
    managed: false,
    file: place.file,
    at: { scopes: place.at },
    conversion: { strategy: 'None' },
    shortNames: [],
    categories: stated.categories ?? ['crossplane', 'provider', system],
    rules: [],
  } as const;
  const columns = (...list: Omit<Column, 'at'>[]) => list.map((column) => ({ ...column, at: place.at }));
  const config: PlainSource = {
    ...common,
    kind: 'ProviderConfig',
    plural: 'providerconfigs',
    description:
      stated.description ?? 'Credentials with which resources of this provider connect to the external API.',
    forms: [...both('ProviderConfig'), form('Cluster', namespacedGroup, 'ClusterProviderConfig')],
    columns: stated.columns ?? columns(age, secretName),
    // Every usage carries the name as a label value.
    rules: [
      {
        rule: 'self.metadata.name.size() <= 63',
        message: 'the name of a provider configuration can have at most 63 characters',
      },
    ],
    schema: {
      type: 'object',
      required: ['spec'],
      properties: { spec: withCredentials(spec), status: configStatus },
    },
  };
  const usage: PlainSource = {
    ...common,
    kind: 'ProviderConfigUsage',
    plural: 'providerconfigusages',
    description:
      'Records that a resource uses a ProviderConfig. The deletion of the ProviderConfig waits until it has no usages. The provider writes the usage; it is owned by the resource and deleted with it.',
    forms: both('ProviderConfigUsage'),
    columns: columns(
      age,
      { name: 'CONFIG-NAME', type: 'string', jsonPath: '.providerConfigRef.name' },
      { name: 'RESOURCE-KIND', type: 'string', jsonPath: '.resourceRef.kind' },
      { name: 'RESOURCE-NAME', type: 'string', jsonPath: '.resourceRef.name' },
    ),
    schema: usageSchema,
  };
  const kindOf = (stored: PlainSource): Kind => ({ folder, stored, versions: [stored] });
  return { config: kindOf(config), usage: kindOf(usage) };
}

function readVersion(place: Place): string {
  const version = stringOf(place);
  return versionPattern.test(version)
    ? version
    : fail(place, `${version} is no version such as v1 or v1alpha1`);
}

const age = { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp' } as const;
const secretName = {
  name: 'SECRET-NAME',
  type: 'string',
  jsonPath: '.spec.credentials.secretRef.name',
  priority: 1,
} as const;

const string = (description: string, more: Partial<Schema> = {}): Schema => ({
  description,
  type: 'string',
  ...more,
});

/** The spec, with Crossplane's credentials if it states none. */
function withCredentials({ required = [], properties, ...spec }: Schema = {}): Schema {
  const isStated = properties?.credentials !== undefined;
  return {
    description: 'The desired state.',
    type: 'object',
    ...spec,
    required: isStated ? required : ['credentials', ...required],
    properties: isStated ? properties : { credentials, ...properties },
  };
}

/** What `extractCredentials` of the framework reads. */
const credentials: Schema = {
  description: 'The source of the credentials.',
  type: 'object',
  required: ['source'],
  properties: {
    source: string('Source of the credentials.', {
      enum: ['None', 'Secret', 'InjectedIdentity', 'Environment', 'Filesystem'],
    }),
    secretRef: {
      description: 'For Secret: the key of a Secret with the credentials.',
      type: 'object',
      required: ['name', 'namespace', 'key'],
      properties: {
        name: string('Name of the Secret.'),
        namespace: string('Namespace of the Secret.', {
          $namespaced: {
            optional: true,
            description: 'Ignored: the Secret is in the namespace of this object.',
          },
        }),
        key: string('The key of the Secret with the credentials.', { maxLength: 253 }),
      },
    },
    env: {
      $namespaced: 'absent',
      description: 'For Environment: the variable of the provider with the credentials.',
      type: 'object',
      required: ['name'],
      properties: { name: string('Name of the variable.') },
    },
    fs: {
      $namespaced: 'absent',
      description: 'For Filesystem: the file of the provider with the credentials.',
      type: 'object',
      required: ['path'],
      properties: { path: string('Path of the file.') },
    },
  },
};

const configStatus: Schema = {
  description: 'The observed state.',
  type: 'object',
  properties: {
    conditions: { $standard: 'conditions' },
    users: {
      description:
        'Number of resources that use this provider configuration. Its deletion waits until there are none.',
      type: 'integer',
      format: 'int64',
    },
  },
};

const usageSchema: Schema = {
  type: 'object',
  required: ['providerConfigRef', 'resourceRef'],
  properties: {
    providerConfigRef: { $standard: 'providerConfigReference' },
    resourceRef: {
      description: 'The resource that uses the ProviderConfig.',
      type: 'object',
      required: ['apiVersion', 'kind', 'name'],
      properties: {
        apiVersion: string('API group and version of the resource.'),
        kind: string('Kind of the resource.'),
        name: string('Name of the resource.'),
        uid: string('UID of the resource.'),
      },
    },
  },
};
