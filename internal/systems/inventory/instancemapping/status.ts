import { type Clock, formatTimestamp } from '../../../framework/base/index.ts';

import { recordedExternalName } from '../../../framework/managed/index.ts';
import type { MappingKind } from '../mapping/mapping-kind.ts';
import { rawNames } from './external-names.ts';
import type { InstanceMapping } from './resource.ts';
import { specIdentity } from './spec-identity.ts';

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
