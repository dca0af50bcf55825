import { createIncomplete, hasCreateIntent, recordedExternalName } from '../../../framework/managed/index.ts';
import type { ExternalNames, MappingIdentity } from '../mapping/mapping-identity.ts';
import type { MappingKind } from '../mapping/mapping-kind.ts';
import type { Inputs } from './inputs/inputs.ts';
import type { KymaInstanceMapping } from './resource.ts';

type AtProvider = NonNullable<NonNullable<KymaInstanceMapping['status']>['atProvider']>;

/** A KymaInstanceMapping records its mapping in `status.atProvider.hana`. */
export const kymaMappingKind: MappingKind<KymaInstanceMapping> = {
  recordsOf: (resource) => ({
    names: kymaNames,
    metadataName: resource.metadata.name,
    externalName: recordedExternalName(resource),
    known: knownIdentity(resource),
    createUnfinished: isCreateUnfinished(resource),
  }),
  wantsDefault: (resource) => resource.spec.forProvider.isDefault ?? false,
  wasPresent: ({ status }) => status?.atProvider?.hana?.ready ?? false,
  notePresent: (resource, identity) => {
    atProviderOf(resource).hana = { mappingId: mappingIdOf(identity), ready: true };
  },
  noteAbsent: (resource) => {
    const atProvider = atProviderOf(resource);
    if (atProvider.hana !== undefined) atProvider.hana = { ...atProvider.hana, ready: false };
  },
  noteRequested: (resource, identity) => {
    atProviderOf(resource).hana = { mappingId: mappingIdOf(identity), ready: false };
  },
};

/** Records the input objects in `status.atProvider.kyma`. Values of objects that cannot be read now stay. */
export function noteInputs(resource: KymaInstanceMapping, { instance, clusterID }: Inputs): void {
  const atProvider = atProviderOf(resource);
  atProvider.kyma = {
    ...atProvider.kyma,
    ...(instance === undefined
      ? {}
      : { serviceInstanceName: instance.name, serviceInstanceReady: instance.ready }),
    ...(instance?.id === undefined ? {} : { serviceInstanceID: instance.id }),
    ...(clusterID === undefined ? {} : { clusterID }),
  };
}

function mappingIdOf({ serviceInstanceID, primaryID, secondaryID }: MappingIdentity) {
  return { serviceInstanceID, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }) };
}

/** The Go provider creates mappings without a namespace if `targetNamespace` is not set. */
function knownIdentity(resource: KymaInstanceMapping): MappingIdentity | undefined {
  const id = resource.status?.atProvider?.hana?.mappingId;
  if (!id?.serviceInstanceID || !id.primaryID) return undefined;
  const { serviceInstanceID, primaryID, secondaryID } = id;
  return { serviceInstanceID, platform: 'kubernetes', primaryID, ...(secondaryID ? { secondaryID } : {}) };
}

/** The annotation of a pending create names no mapping: beside one in the status it says nothing about the external name. */
function isCreateUnfinished(resource: KymaInstanceMapping): boolean {
  if (hasCreateIntent(resource)) return !isNameKnown(resource);
  return createIncomplete(resource) && knownIdentity(resource) === undefined;
}

/** Whether the status has the mapping of the external name; its create is then complete. */
function isNameKnown(resource: KymaInstanceMapping): boolean {
  const known = knownIdentity(resource);
  return known !== undefined && kymaNames.format(known) === recordedExternalName(resource);
}

function atProviderOf(resource: KymaInstanceMapping): AtProvider {
  resource.status ??= {};
  resource.status.atProvider ??= {};
  return resource.status.atProvider;
}

/** In characters. The status fields that record its parts have this limit. */
const maxLength = 1024;

/** `{serviceInstanceID}/{clusterID}/{namespace}`. A cluster ID may contain slashes. */
export const kymaNames: ExternalNames = {
  form: 'serviceInstanceID/clusterID/namespace',
  // Only mappings of other clients have no namespace; their names are not recorded.
  format: ({ serviceInstanceID, primaryID, secondaryID = '' }) =>
    `${serviceInstanceID}/${primaryID}/${secondaryID}`,
  parse: (externalName) => {
    if (externalName.length > maxLength) return undefined;
    const parts = externalName.split('/');
    const serviceInstanceID = parts[0] ?? '';
    const secondaryID = parts.at(-1) ?? '';
    const primaryID = parts.slice(1, -1).join('/');
    if (serviceInstanceID === '' || primaryID === '' || secondaryID === '') return undefined;
    return { serviceInstanceID, platform: 'kubernetes', primaryID, secondaryID };
  },
};
