/**
 * A kind whose external resource is an instance mapping: KymaInstanceMapping, which reads the IDs from input objects,
 * and InstanceMapping, whose spec has them. Both share:
 *
 * - mapping-client.ts: observes, creates, replaces and deletes the mapping
 * - mapping-identity.ts: which mapping belongs to the resource, and which one a deletion deletes
 * - claims: which of several resources holds a mapping
 * - access: what HANA Cloud shows to which credentials
 * - ready.ts: the Ready condition after errors; messages.ts: the messages for users
 */
import {
  type Clock,
  findCause,
  kindOf,
  ProviderError,
  type WatchedObject,
} from '../../../framework/base/index.ts';
import { type KubeObject, wasDeleted } from '../../../framework/kube/index.ts';
import {
  failureMessage,
  getCondition,
  type Managed,
  type NewCondition,
  type ReconcileContext,
  reasonWaiting,
  setConditions,
  typeReady,
  unavailable,
} from '../../../framework/managed/index.ts';
import type { HanaCloudClient, InstanceMapping, MappingList } from '../hana-cloud/client.ts';
import { isMappingOf, type MappingIdentity, type Records } from './mapping-identity.ts';
import { mappingMissing } from './messages.ts';
import type { VisibilityRecords } from './visibility-records.ts';

/** What differs between the kinds: the fields of spec and status. */
export interface MappingKind<R extends Managed> {
  recordsOf(resource: R): Records;
  wantsDefault(resource: R): boolean;
  /** Whether the known mapping existed when it was last observed, by the status. */
  wasPresent(resource: R): boolean;
  /** Records in the status that the mapping exists. */
  notePresent(resource: R, identity: MappingIdentity, clock: Clock): void;
  /** Records that the mapping does not exist. The identity stays in the status: a deletion needs it. */
  noteAbsent(resource: R, clock: Clock): void;
  /** Records, before the create request, that the mapping may exist and belongs to the resource. */
  noteRequested(resource: R, identity: MappingIdentity): void;
}

/** The result of a lookup. */
export type Lookup =
  | { readonly state: 'present'; readonly mapping: InstanceMapping }
  | { readonly state: 'absent' }
  /** 404 to a client without a visibility record of the instance: the mapping may exist. */
  | { readonly state: 'unknown' };

export interface LookupOptions {
  readonly visibility: VisibilityRecords;
  readonly resource: KubeObject;
  readonly signal: AbortSignal;
  /** Whether a mapping from a recent list suffices. Default: never. */
  readonly isEnough?: (mapping: InstanceMapping) => boolean;
}

/** Finds the mapping. `absent` only if a visibility record shows that the client can see the instance. */
export async function lookUp(
  hana: HanaCloudClient,
  identity: MappingIdentity,
  { visibility, resource, signal, isEnough = () => false }: LookupOptions,
): Promise<Lookup> {
  const { serviceInstanceID } = identity;
  const find = ({ mappings }: MappingList) => mappings.find((each) => isMappingOf(identity, each));
  const list = await hana.listMappings(serviceInstanceID, {
    signal,
    isEnough: (list) => {
      const mapping = find(list);
      return mapping !== undefined && isEnough(mapping);
    },
  });
  if (list.state === 'listed') visibility.note(hana, serviceInstanceID);
  const mapping = find(list);
  if (mapping !== undefined) return { state: 'present', mapping };
  return { state: visibility.has(resource, hana, serviceInstanceID) ? 'absent' : 'unknown' };
}

export async function findMapping(
  hana: HanaCloudClient,
  identity: MappingIdentity,
  signal: AbortSignal,
): Promise<InstanceMapping | undefined> {
  const { mappings } = await hana.listMappings(identity.serviceInstanceID, { signal });
  return mappings.find((mapping) => isMappingOf(identity, mapping));
}

/** Mappings of one instance are polled together, so that one list request serves all of them. */
export function pollGroupOf<R extends Managed>(kind: MappingKind<R>, resource: R): string | undefined {
  return kind.recordsOf(resource).known?.serviceInstanceID;
}

/** HANA Cloud does not show the database to credentials that never saw it: it may be gone. */
export class InstanceNotVisibleError extends ProviderError {
  constructor(message: string, targets: readonly WatchedObject[]) {
    super('auth', message, { targets });
  }
}

/**
 * Sets Ready to False with the message of Synced, until the mapping was first observed. Later errors leave Ready as it
 * is, so that a transient error does not make a composite resource unready, except if the database may be gone.
 */
export function noteFailure<R extends Managed>(
  kind: MappingKind<R>,
  resource: R,
  error: unknown,
  step: 'connect' | 'observe',
  { clock }: ReconcileContext,
): void {
  if (wasDeleted(resource)) return;
  const mayBeGone = findCause(error, InstanceNotVisibleError) !== undefined;
  if (!mayBeGone && wasObserved(kind, resource)) return;
  setConditions(resource, clock, unreadyFor(error, failureMessage(step, error)));
}

const unreadyFor = (error: unknown, message: string): NewCondition =>
  kindOf(error) === 'waiting' ? unavailable(message, reasonWaiting) : unavailable(message);

/** Only Observe sets these values of Ready. */
function wasObserved<R extends Managed>(kind: MappingKind<R>, resource: R): boolean {
  const ready = getCondition(resource, typeReady);
  const observed = ready?.status === 'True' || ready?.message === mappingMissing;
  return observed && kind.recordsOf(resource).known !== undefined;
}
