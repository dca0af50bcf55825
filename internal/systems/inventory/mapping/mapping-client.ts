import { kindOf, ProviderError, type WatchedObject } from '../../../framework/base/index.ts';

import { wasDeleted } from '../../../framework/kube/index.ts';
import {
  available,
  creating,
  type ExternalClient,
  type ExternalFields,
  type Managed,
  type Observation,
  type ReconcileContext,
  setConditions,
  unavailable,
} from '../../../framework/managed/index.ts';
import { type Existence, isProvedAbsent } from '../../../framework/ownership/ownership.ts';
import type { HanaCloudClient, NewInstanceMapping } from '../hana-cloud/client.ts';
import { withAdvice } from '../input/connection-problem.ts';
import type { ClaimAccess } from './claims/claim-record.ts';
import type { MappingClaims } from './claims/mapping-claims.ts';
import { decideIdentity, identityToDelete, type MappingIdentity } from './mapping-identity.ts';
import {
  findMapping,
  InstanceNotVisibleError,
  type Lookup,
  type LookupOptions,
  lookUp,
  type MappingKind,
  noteFailure,
} from './mapping-kind.ts';
import {
  adoptingMapping,
  adviceToAbandon,
  adviceToOrphan,
  conflictWithoutMapping,
  deletingMapping,
  identityDiff,
  instanceNotVisible,
  isDefaultDiff,
  makingDefault,
  mappingMissing,
  replacingMapping,
} from './messages.ts';
import { hasVisibilityRecord, type VisibilityRecords } from './visibility-records.ts';

/** The external client of a resource that never had a mapping: its deletion needs no request. */
export const nothingToDelete: ExternalClient<Managed> = {
  observe: async () => ({ state: 'absent' }),
  create: async () => ({}),
  update: async () => ({}),
  delete: async () => ({}),
};

export interface MappingClientOptions<R extends Managed> {
  readonly kind: MappingKind<R>;
  readonly claims: MappingClaims<R>;
  readonly visibility: VisibilityRecords;
  /** Closed at the end of the reconcile. */
  readonly hana: HanaCloudClient;
  /** The mapping that the resource describes; during a deletion the recorded one. */
  readonly described: MappingIdentity;
  /** The objects that hold the credentials; watched if other credentials are needed. */
  readonly access: readonly WatchedObject[];
  /** Whether the Kyma cluster shows that the instance was deleted. Default: false. */
  readonly isInstanceGone?: (ctx: ReconcileContext) => Promise<boolean>;
}

/**
 * The external client of one mapping. HANA Cloud cannot update a mapping, so every change is a replacement: the old
 * mapping is deleted before the new one is created.
 */
export function createMappingClient<R extends Managed>(options: MappingClientOptions<R>): ExternalClient<R> {
  const { kind, claims, visibility, hana, described } = options;
  return {
    observe: async (resource, ctx) => {
      if (wasDeleted(resource)) return observeToDelete(options, resource, ctx);
      try {
        return await observeToKeep(options, resource, ctx);
      } catch (error) {
        noteFailure(kind, resource, error, 'observe', ctx);
        throw error;
      }
    },
    create: async (resource, ctx) => {
      const isDefault = kind.wantsDefault(resource);
      // An older claim may have been confirmed since Observe.
      claims.assertOwn(resource, described, hana.api);
      if (isDefault) claims.assertDefault(resource, described, hana.api);
      kind.noteRequested(resource, described);
      setConditions(resource, ctx.clock, creating());
      const mapping = mappingOf(described, isDefault);
      const externalName = kind.recordsOf(resource).names.format(described);
      const write = { signal: ctx.signal, fence: ctx.assertMayWrite };
      const outcome = await hana.createMapping(described.serviceInstanceID, mapping, write);
      // A 409 does not say which mapping exists.
      if (outcome === 'exists' && !(await findMapping(hana, described, ctx.signal))) {
        throw new ProviderError('transient', conflictWithoutMapping(externalName));
      }
      visibility.record(resource, hana, described.serviceInstanceID);
      claims.state(resource, {
        identity: described,
        access: accessOf(hana),
        outcome: 'shown',
        isPresent: true,
      });
      return { externalName };
    },
    update: async () => {
      throw new ProviderError('bug', 'a mapping is replaced, not updated');
    },
    delete: async (resource, ctx) => {
      const records = kind.recordsOf(resource);
      const recorded = identityToDelete(records) ?? described;
      claims.assertOwn(resource, recorded, hana.api, 'recorded');
      claims.assertDecided(resource, recorded, hana.api, deletingMapping(records.names.format(recorded)));
      const { serviceInstanceID, primaryID, secondaryID } = recorded;
      const key = { primaryID, ...(secondaryID === undefined ? {} : { secondaryID }) };
      const write = { signal: ctx.signal, fence: ctx.assertMayWrite };
      const outcome = await hana.deleteMapping(serviceInstanceID, key, write);
      if (outcome === 'deleted') visibility.note(hana, serviceInstanceID);
      return {};
    },
    disconnect: async () => hana.close(),
  };
}

async function observeToKeep<R extends Managed>(
  options: MappingClientOptions<R>,
  resource: R,
  ctx: ReconcileContext,
): Promise<Observation> {
  const { kind, claims, visibility, hana, described } = options;
  const { api } = hana;
  const records = kind.recordsOf(resource);
  const externalName = records.names.format(described);
  const desired = kind.wantsDefault(resource);
  const decision = decideIdentity(records, described);
  claims.assertOwn(resource, described, api, 'older');
  const isKnownVisible = hasVisibilityRecord(resource, described.serviceInstanceID);
  const found = await lookUpAndState(options, resource, {
    signal: ctx.signal,
    // A recent list suffices only for a poll that finds the mapping up to date.
    isEnough: ({ isDefault }) => ctx.isLowPriority && isDefault === desired,
  });
  claims.assertOwn(resource, described, api);
  // Not if another resource has taken over the recorded mapping.
  if (decision.kind === 'changed' && !claims.isTakenOver(resource, decision.recorded, api)) {
    const oldName = records.names.format(decision.recorded);
    const { state } = await lookUp(hana, decision.recorded, { visibility, resource, signal: ctx.signal });
    if (state === 'unknown')
      throw notVisible(options, `${instanceNotVisible(oldName)}; ${adviceToAbandon(externalName)}`);
    if (state === 'present') {
      claims.assertDecided(resource, decision.recorded, api, replacingMapping(oldName));
      notePresent(kind, resource, decision.recorded, ctx);
      const diff = identityDiff(oldName, externalName);
      // Workloads of the described cluster and namespace do not find the old mapping.
      setConditions(resource, ctx.clock, unavailable(diff));
      const fields = { current: fieldsOf(decision.recorded), desired: fieldsOf(described) };
      return { state: 'present', upToDate: false, replace: 'identity', diff, externalName, ...fields };
    }
  }
  // Without a visibility record, Create finds out whether the instance exists.
  if (found.state === 'unknown' && isKnownVisible)
    throw notVisible(options, instanceNotVisible(externalName));
  if (found.state === 'present' && !isKnownVisible) {
    claims.assertDecided(resource, described, api, adoptingMapping(externalName));
  }
  if (found.state !== 'unknown') visibility.record(resource, hana, described.serviceInstanceID);
  if (found.state === 'present') notePresent(kind, resource, described, ctx);
  else noteAbsent(kind, resource, ctx);
  if (desired) claims.assertDefault(resource, described, api);
  const asked = fieldsOf(described, desired);
  if (found.state !== 'present') {
    if (desired) claims.assertDecided(resource, described, api, makingDefault(externalName));
    return { state: 'absent', externalName, desired: asked };
  }
  const { isDefault } = found.mapping;
  const fields = { current: fieldsOf(described, isDefault), desired: asked };
  if (isDefault === desired) return { state: 'present', upToDate: true, externalName, ...fields };
  claims.assertDecided(resource, described, api, replacingMapping(externalName));
  const diff = isDefaultDiff(isDefault, desired);
  return { state: 'present', upToDate: false, replace: 'drift', diff, externalName, ...fields };
}

/** During a deletion, Observe only finds out whether the resource's own mapping still exists. */
async function observeToDelete<R extends Managed>(
  options: MappingClientOptions<R>,
  resource: R,
  ctx: ReconcileContext,
): Promise<Observation> {
  const { kind, claims, hana, described, access, isInstanceGone } = options;
  if (claims.isTakenOver(resource, described, hana.api)) return { state: 'absent' };
  const name = kind.recordsOf(resource).names.format(described);
  try {
    const found = await lookUpAndState(options, resource, { signal: ctx.signal });
    if (found.state === 'present') {
      claims.assertDecided(resource, described, hana.api, deletingMapping(name));
      notePresent(kind, resource, described, ctx);
      return { state: 'present', upToDate: true, current: fieldsOf(described, found.mapping.isDefault) };
    }
    // HANA Cloud does not show the instance to these credentials; the Kyma cluster may show that it was deleted.
    const hidden: Existence = { state: 'unclear', response: instanceNotVisible(name) };
    const seen: Existence = found.state === 'unknown' ? hidden : { state: found.state };
    const secondLook = async (): Promise<Existence> =>
      (await isInstanceGone?.(ctx)) ? { state: 'absent' } : hidden;
    await isProvedAbsent(name, seen, secondLook, () => notVisible(options, hidden.response));
    return { state: 'absent' };
  } catch (error) {
    // Refused credentials, or credentials without access to the instance, do not show that the mapping is gone.
    throw kindOf(error) === 'auth' ? withAdvice(error, adviceToOrphan(resource), access) : error;
  }
}

/** Finds the described mapping and records the answer for the claims. */
async function lookUpAndState<R extends Managed>(
  { claims, visibility, hana, described: identity }: MappingClientOptions<R>,
  resource: R,
  how: Pick<LookupOptions, 'signal' | 'isEnough'>,
): Promise<Lookup> {
  const answer = { identity, access: accessOf(hana) };
  try {
    const found = await lookUp(hana, identity, { ...how, visibility, resource });
    const outcome = visibility.hasHere(hana, identity.serviceInstanceID) ? 'shown' : 'unknown';
    claims.state(resource, { ...answer, outcome, isPresent: found.state === 'present' });
    return found;
  } catch (error) {
    if (kindOf(error) === 'auth') {
      claims.state(resource, { ...answer, outcome: 'refused', isPresent: false });
    }
    throw error;
  }
}

/** A copy: claims outlive the client and its credentials. */
const accessOf = ({ api, viewer }: HanaCloudClient): ClaimAccess => ({ api, viewer });

/** The reconcile is retried when the credentials change. */
function notVisible<R extends Managed>({ access }: MappingClientOptions<R>, message: string): ProviderError {
  return new InstanceNotVisibleError(message, access);
}

/** Sets Ready: the mapping is usable, even if it is not up to date. */
function notePresent<R extends Managed>(
  kind: MappingKind<R>,
  resource: R,
  identity: MappingIdentity,
  { clock }: ReconcileContext,
): void {
  kind.notePresent(resource, identity, clock);
  setConditions(resource, clock, available());
}

function noteAbsent<R extends Managed>(kind: MappingKind<R>, resource: R, { clock }: ReconcileContext): void {
  kind.noteAbsent(resource, clock);
  setConditions(resource, clock, unavailable(mappingMissing));
}

/** @param isDefault absent if unknown */
function fieldsOf(identity: MappingIdentity, isDefault?: boolean): ExternalFields {
  const { serviceInstanceID, platform, primaryID, secondaryID } = identity;
  return {
    serviceInstanceID,
    platform,
    primaryID,
    ...(secondaryID === undefined ? {} : { secondaryID }),
    ...(isDefault === undefined ? {} : { isDefault }),
  };
}

function mappingOf(
  { platform, primaryID, secondaryID }: MappingIdentity,
  isDefault: boolean,
): NewInstanceMapping {
  return { platform, primaryID, ...(secondaryID === undefined ? {} : { secondaryID }), isDefault };
}
