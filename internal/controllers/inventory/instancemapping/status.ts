import type { Clock } from '../../../base/time/clock.ts';
import { formatTimestamp } from '../../../base/time/timestamp.ts';
import { externalNameFrom } from '../../../runtime/index.ts';
import type { MappingKind } from '../mapping/mapping-kind.ts';
import { externalNames } from './external-names.ts';
import type { InstanceMapping } from './resource.ts';
import { specIdentity } from './spec-identity.ts';

/** Where an InstanceMapping says what it knows of its mapping. Which one that is, its spec says for good. */
export const mappingKind: MappingKind<InstanceMapping> = {
  recordsOf: (resource) => ({
    names: externalNames,
    metadataName: resource.metadata.name,
    externalName: externalNameFrom(resource),
    known: specIdentity(resource),
    createUnfinished: false,
  }),
  wantsDefault: ({ spec }) => spec.forProvider.isDefault ?? false,
  wasPresent: ({ status }) => status?.atProvider?.mappingExists ?? false,
  notePresent: (resource, _identity, clock) => noteExists(resource, true, clock),
  noteAbsent: (resource, clock) => noteExists(resource, false, clock),
  noteRequested: () => undefined,
};

/** The time moves only with what was found: written at every pass, it would wake whoever watches for ever. */
function noteExists(resource: InstanceMapping, mappingExists: boolean, clock: Clock): void {
  if (resource.status?.atProvider?.mappingExists === mappingExists) return;
  const lastSyncTime = formatTimestamp(clock.now());
  resource.status = { ...resource.status, atProvider: { mappingExists, lastSyncTime } };
}
