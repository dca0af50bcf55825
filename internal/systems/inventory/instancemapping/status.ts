import { type Clock, formatTimestamp } from '../../../framework/base/index.ts';
import { recordedExternalName } from '../../../framework/managed/index.ts';
import type { Platform } from '../hana-cloud/client.ts';
import type { ExternalNames, MappingIdentity } from '../mapping/mapping-identity.ts';
import type { MappingKind } from '../mapping/mapping-kind.ts';
import type { InstanceMapping } from './resource.ts';

/** An InstanceMapping records its mapping in `status.atProvider`; the identity is in the spec. */
export const rawMappingKind: MappingKind<InstanceMapping> = {
  recordsOf: (resource) => ({
    names: rawNames,
    metadataName: resource.metadata.name,
    externalName: recordedExternalName(resource),
    known: specIdentity(resource),
    createUnfinished: false,
  }),
  wantsDefault: ({ spec }) => spec.forProvider.isDefault ?? false,
  wasPresent: ({ status }) => status?.atProvider?.mappingExists ?? false,
  notePresent: (resource, _identity, clock) => noteExists(resource, true, clock),
  noteAbsent: (resource, clock) => noteExists(resource, false, clock),
  noteRequested: () => undefined,
};

/** The time changes only with `mappingExists`: a new time at every reconcile would trigger every watch. */
function noteExists(resource: InstanceMapping, mappingExists: boolean, clock: Clock): void {
  if (resource.status?.atProvider?.mappingExists === mappingExists) return;
  const lastSyncTime = formatTimestamp(clock.now());
  resource.status = { ...resource.status, atProvider: { mappingExists, lastSyncTime } };
}

/** The mapping of the spec. Its fields are immutable. */
export function specIdentity({ spec }: InstanceMapping): MappingIdentity {
  const { serviceInstanceID, platform, primaryID, secondaryID } = spec.forProvider;
  return { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
}

const platforms = {
  kubernetes: true,
  cloudfoundry: true,
  'subaccount-api-access': true,
} as const satisfies Record<Platform, true>;

const isPlatform = (text: string): text is Platform => Object.hasOwn(platforms, text);

/** In characters; enough for three IDs of the spec and a platform. */
const maxLength = 4096;

/** `{serviceInstanceID}/{platform}/{primaryID}/{secondaryID}`; the last part is optional. */
export const rawNames: ExternalNames = {
  form: 'serviceInstanceID/platform/primaryID/secondaryID',
  format: ({ serviceInstanceID, platform, primaryID, secondaryID }) =>
    [serviceInstanceID, platform, primaryID, ...(secondaryID === undefined ? [] : [secondaryID])].join('/'),
  parse: (externalName) => {
    if (externalName.length > maxLength) return undefined;
    const [serviceInstanceID, platform = '', primaryID, secondaryID, ...rest] = externalName.split('/');
    if (!serviceInstanceID || !isPlatform(platform) || !primaryID || rest.length > 0) return undefined;
    return { serviceInstanceID, platform, primaryID, ...(secondaryID ? { secondaryID } : {}) };
  },
};
