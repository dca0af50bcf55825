import { ProviderError } from '../../../../base/errors/errors.ts';
import { importMismatch, notAnExternalName, recordsDisagree } from '../messages.ts';
import { type ExternalNames, type MappingIdentity, sameIdentity } from './mapping-identity.ts';

/** What a resource remembers of the mapping it stands for. */
export interface Records {
  /** How its kind writes external names. */
  readonly names: ExternalNames;
  readonly metadataName: string;
  /** The annotation; empty or absent: none. */
  readonly externalName?: string | undefined;
  /** What was observed or asked for last. */
  readonly known?: MappingIdentity | undefined;
  /** A create of ours was begun and this process ended in it, so the external name may name its mapping. */
  readonly createUnfinished: boolean;
}

/** How the recorded identity relates to the one that is described now. */
export type IdentityDecision =
  /** Nothing is recorded: the described mapping is created, or adopted if it is there. */
  | { readonly kind: 'unset' }
  | { readonly kind: 'settled' }
  /** Another mapping is described now; the recorded one is ours and must not stay behind. */
  | { readonly kind: 'changed'; readonly recorded: MappingIdentity };

/**
 * Compares record and description; throws a terminal error on an import mismatch, for then nothing may be created
 * or deleted. The Go provider leaves the object's own name as external name: that counts as none.
 * Rule: hana-inventory, Observe.
 */
export function decideIdentity(records: Records, described: MappingIdentity): IdentityDecision {
  const { names, known } = records;
  const externalName = externalNameIn(records);
  if (externalName === undefined) {
    return known === undefined || sameIdentity(known, described)
      ? { kind: 'unset' }
      : { kind: 'changed', recorded: known };
  }
  if (externalName === names.format(described)) return { kind: 'settled' };
  const recorded = parse(externalName, names);
  if (sameIdentity(recorded, described)) return { kind: 'settled' };
  const ours = known === undefined ? records.createUnfinished : sameIdentity(recorded, known);
  if (ours) return { kind: 'changed', recorded };
  throw new ProviderError('terminal', importMismatch(externalName, names.format(described)));
}

/**
 * The mapping that a deletion is about, from the records alone; undefined if none was ever made known. Throws a
 * terminal error where external name and status name different mappings: deleting either might be wrong.
 */
export function identityToDelete(records: Records): MappingIdentity | undefined {
  const { names, known, createUnfinished } = records;
  const externalName = externalNameIn(records);
  if (externalName === undefined) return known;
  if (known !== undefined && externalName === names.format(known)) return known;
  const recorded = parse(externalName, names);
  if (known !== undefined && !createUnfinished && !sameIdentity(known, recorded)) {
    throw new ProviderError('terminal', recordsDisagree(externalName, names.format(known)));
  }
  return recorded;
}

function parse(externalName: string, names: ExternalNames): MappingIdentity {
  const identity = names.parse(externalName);
  if (identity === undefined) {
    throw new ProviderError('terminal', notAnExternalName(externalName, names.form));
  }
  return identity;
}

function externalNameIn({ externalName, metadataName }: Records): string | undefined {
  return externalName === undefined || externalName === '' || externalName === metadataName
    ? undefined
    : externalName;
}
