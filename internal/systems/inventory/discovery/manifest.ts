/** Manifests of resources that import mappings. */

import { createHash } from 'node:crypto';
import { cutText } from '../../../framework/base/index.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../../../framework/kube/index.ts';

import { annotationExternalName } from '../../../framework/managed/index.ts';
import type { Platform } from '../hana-cloud/client.ts';
import type { AdminCredentialsRef } from '../instancemapping/admin-credentials.ts';
import { instanceMappingTypes } from '../instancemapping/resource.ts';
import { rawNames } from '../instancemapping/status.ts';
import type { Ref } from '../kymainstancemapping/inputs/inputs.ts';
import { kymaInstanceMappingTypes } from '../kymainstancemapping/resource.ts';
import { kymaNames } from '../kymainstancemapping/status.ts';
import type { MappingIdentity } from '../mapping/mapping-identity.ts';
import type { CredentialsLocation } from './credentials-location.ts';
import type { FoundMapping } from './discover.ts';

export interface ManifestOptions {
  /** Of namespaced resources; absent: cluster-scoped ones. */
  readonly namespace?: string;
  readonly managementPolicies: readonly string[];
  /** Default: that of the API server. */
  readonly providerConfig?: string;
  /** For InstanceMappings if the credentials are in a binding, to which they cannot refer. */
  readonly credentialsSecret?: AdminCredentialsRef;
}

export interface ImportManifest extends KubeObject {
  spec: object;
}

/** The manifest, or why there is none. */
export type Import = { readonly manifest: ImportManifest } | { readonly why: string };

const platforms: readonly string[] = [
  'kubernetes',
  'cloudfoundry',
  'subaccount-api-access',
] satisfies Platform[];
const isPlatform = (platform: string): platform is Platform => platforms.includes(platform);

/**
 * A KymaInstanceMapping if the mapping is of a namespace of the cluster that has the input objects, else an
 * InstanceMapping. `isDefault` is the current value, so that the import changes nothing.
 */
export function importOf(found: FoundMapping, options: ManifestOptions): Import {
  const { serviceInstanceID, mapping, serviceInstance, location, ofOwnCluster } = found;
  const { platform, primaryID, secondaryID } = mapping;
  if (!isPlatform(platform)) return { why: `the platform ${platform} is not known to this version` };
  const identity = {
    serviceInstanceID,
    platform,
    primaryID,
    ...(secondaryID === undefined ? {} : { secondaryID }),
  };
  const isKyma = ofOwnCluster && secondaryID !== undefined;
  return location.form === 'binding' && isKyma && serviceInstance !== undefined
    ? kymaImport(identity, location, serviceInstance, found, options)
    : rawImport(identity, found, options);
}

function kymaImport(
  identity: MappingIdentity,
  location: Extract<CredentialsLocation, { form: 'binding' }>,
  serviceInstance: Ref,
  { mapping }: FoundMapping,
  options: ManifestOptions,
): Import {
  const { namespace } = options;
  const { cluster, binding, clusterIdConfigMap } = location;
  const beside = [
    binding,
    serviceInstance,
    ...(clusterIdConfigMap === undefined ? [] : [clusterIdConfigMap]),
  ];
  const read = cluster === undefined ? beside : [cluster.secret];
  const foreign = read.find((ref) => namespace !== undefined && ref.namespace !== namespace);
  if (foreign !== undefined) {
    return { why: `a resource of namespace ${namespace} cannot read ${foreign.namespace}/${foreign.name}` };
  }
  const connection =
    cluster === undefined
      ? {}
      : {
          kymaConnectionRef: {
            secretRef:
              namespace === undefined
                ? { name: cluster.secret.name, namespace: cluster.secret.namespace }
                : { name: cluster.secret.name },
            kubeconfigKey: cluster.kubeconfigKey,
          },
        };
  const forProvider = {
    ...connection,
    serviceInstanceRef: { ...serviceInstance },
    adminBindingRef: { ...binding },
    ...(clusterIdConfigMap === undefined ? {} : { clusterIdConfigMapRef: { ...clusterIdConfigMap } }),
    targetNamespace: identity.secondaryID,
    isDefault: mapping.isDefault,
  };
  return manifestOf(kymaInstanceMappingTypes, kymaNames.format(identity), identity, forProvider, options);
}

function rawImport(
  identity: MappingIdentity,
  { mapping, location }: FoundMapping,
  options: ManifestOptions,
): Import {
  const { namespace } = options;
  const secret = location.form === 'secret' ? location.secret : options.credentialsSecret;
  if (secret === undefined) {
    return {
      why: 'an InstanceMapping needs a Secret with the credentials under one key: name one with --credentials-secret',
    };
  }
  if (namespace !== undefined && secret.namespace !== namespace) {
    return {
      why: `a resource of namespace ${namespace} cannot read Secret ${secret.namespace}/${secret.name}`,
    };
  }
  const { name, key } = secret;
  const forProvider = {
    ...identity,
    isDefault: mapping.isDefault,
    adminCredentialsSecretRef:
      namespace === undefined ? { name, namespace: secret.namespace, key } : { name, key },
  };
  return manifestOf(instanceMappingTypes, rawNames.format(identity), identity, forProvider, options);
}

function manifestOf(
  types: Readonly<Record<'cluster' | 'namespaced', ResourceType>>,
  externalName: string,
  identity: MappingIdentity,
  forProvider: object,
  { namespace, managementPolicies, providerConfig }: ManifestOptions,
): Import {
  const type = namespace === undefined ? types.cluster : types.namespaced;
  const reference = namespace === undefined ? {} : { kind: 'ClusterProviderConfig' };
  return {
    manifest: {
      apiVersion: apiVersionOf(type),
      kind: type.kind,
      metadata: {
        name: nameFor(identity, externalName),
        ...(namespace === undefined ? {} : { namespace }),
        annotations: { [annotationExternalName]: externalName },
      },
      spec: {
        managementPolicies: [...managementPolicies],
        forProvider,
        ...(providerConfig === undefined
          ? {}
          : { providerConfigRef: { ...reference, name: providerConfig } }),
      },
    },
  };
}

/** Leaves space for the hash: with it the name has at most 63 characters, the limit of label values. */
const MAX_WORD = 50;

/** Readable, deterministic and unique: the last ID of the mapping and a hash of the external name. */
function nameFor({ primaryID, secondaryID }: MappingIdentity, externalName: string): string {
  const word = cutText(secondaryID ?? primaryID)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_WORD)
    .replace(/^-|-$/g, '');
  const hash = createHash('sha256').update(externalName).digest('hex').slice(0, 8);
  return `${word === '' ? 'mapping' : word}-${hash}`;
}
