import { ProviderError } from '../../../../framework/base/index.ts';

import { importMismatch, notAnExternalName, recordsDisagree } from '../messages.ts';
import { type ExternalNames, type MappingIdentity, sameIdentity } from './mapping-identity.ts';

/** What a resource records of its mapping. */
export interface Records {
  readonly names: ExternalNames;
  readonly metadataName: string;
  /** The value of the annotation; empty counts as absent. */
  readonly externalName?: string | undefined;
  /** From the status: what was observed or requested last. */
  readonly known?: MappingIdentity | undefined;
  /** A create was begun, and its mapping is not in the status: the external name may be that of the mapping that it created. */
  readonly createUnfinished: boolean;
}

/** The recorded identity compared with the described one. */
export type IdentityDecision =
  /** Nothing is recorded: the described mapping is created, or adopted if it exists. */
  | { readonly kind: 'unset' }
  | { readonly kind: 'settled' }
  /** Another mapping is described now; the recorded one belongs to the resource and must be deleted. */
  | { readonly kind: 'changed'; readonly recorded: MappingIdentity };

/**
 * Compares the recorded identity with the described one. An external name equal to `metadata.name`, which the Go
 * provider leaves, counts as none.
 *
 * @throws a terminal error if an imported external name is not the described mapping
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
  const isOurs = records.createUnfinished || (known !== undefined && sameIdentity(recorded, known));
  if (isOurs) return { kind: 'changed', recorded };
  throw new ProviderError('terminal', importMismatch(externalName, names.format(described)));
}

/**
 * The mapping that a deletion deletes, from the records alone; undefined if there is none.
 *
 * @throws a terminal error if external name and status are different mappings
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
  return externalName === '' || externalName === metadataName ? undefined : externalName;
}
