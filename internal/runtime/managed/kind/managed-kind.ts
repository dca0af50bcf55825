import type { LimitKeyOption } from '../../../base/concurrency/limit-key.ts';
import type { ObjectCache } from '../../../kube/cache/cache.ts';
import type { ResourceType } from '../../../kube/object/resource-type.ts';
import type { Source } from '../../controller/source.ts';
import type { ConfigUse } from '../../providerconfig/config-use.ts';
import type { ReferenceResolver } from '../../references/reference-resolver.ts';
import type { Managed } from '../../resource/managed.ts';
import { externalNameFrom, setExternalName } from '../../resource/meta.ts';
import type { Connector, ReconcileContext } from './external-client.ts';
import type { ManagementAction } from './policies.ts';
import type { PollIntervalHook } from './poll.ts';

/** Prepares a resource before its first Observe; the first one that throws ends the reconcile. */
export type Initializer<R extends Managed> = (resource: R, store: StoreChanges) => Promise<void>;

/**
 * Stores what an initializer changed. Where names are deterministic nothing is lost by a crash before it is stored,
 * so it is then stored together with the finalizer.
 */
export type StoreChanges = () => Promise<void>;

/** All that the framework must be told of a kind. Whoever adds a kind writes this and nothing else. */
export interface ManagedKind<R extends Managed> {
  readonly type: ResourceType<R>;
  readonly connector: Connector<R>;
  /** Says what a failed Connect means for Ready; default: nothing. Some failures come before the connector is asked. */
  readonly connectFailed?: (resource: R, error: unknown, ctx: ReconcileContext) => void;
  /** Has resources count as users of their provider configuration; default: nothing is recorded. */
  readonly configUse?: ConfigUse;
  /** What brings resources up besides their own changes; called once with all that there are. Default: nothing. */
  readonly sources?: (cache: ObjectCache<R>) => readonly Source[];
  /**
   * The limit keys of a resource: the remote clusters and hosts that its reconcile depends on, as far as they are known.
   * Requests of one key take at most its slots, by default a quarter of the workers; the others wait without a worker.
   * What Connect learns it adds by `ctx.reserve`. Default: none.
   */
  readonly limitKeysOf?: (resource: R) => readonly LimitKeyOption[];
  /**
   * Observe finds by what is known beforehand whatever Create made, even if its answer was lost. A create whose
   * outcome was never recorded is then simply tried again instead of waiting for a human. Without a grace period the
   * outcome is not recorded at all, which saves a write. Default false.
   */
  readonly deterministicExternalName?: boolean;
  /**
   * Observe once more right after Create, so that a resource whose other side is done at once is ready in its first
   * pass. Only for other sides that show at once what they created. Default false.
   */
  readonly observeAfterCreate?: boolean;
  /**
   * Observe once more right after Delete, so that a resource whose external API is done at once goes in the same
   * reconcile, without a status in between. Default false.
   */
  readonly observeAfterDelete?: boolean;
  /** Default: `[nameAsExternalName]`. */
  readonly initializers?: readonly Initializer<R>[];
  /**
   * Fills fields of the spec that refer to other objects; what that changes is stored. Called before Connect, but not
   * for resources that are being deleted. Default: there are none.
   */
  readonly resolveReferences?: (resource: R, references: ReferenceResolver) => Promise<void>;
  /** Sets of management policies that make sense for the kind; default: all of Crossplane's. */
  readonly supportedPolicies?: readonly (readonly ManagementAction[])[];
  /**
   * How long after a successful Create an absent resource is taken for not visible yet, in ms; default 30000.
   * 0 where the other side shows at once what it created.
   */
  readonly creationGracePeriodMs?: number;
  /** Deadline of all calls to the other side in one reconcile together, in ms; default 60000. */
  readonly externalTimeoutMs?: number;
  /**
   * Names what a settled resource's passes read of the other side, where others read the same: they are polled together
   * then, each group at its own moment of the interval. Undefined, and by default: polled for itself.
   */
  readonly pollGroupOf?: (resource: R) => string | undefined;
  /** Replaces the controller's, its jitter and groups included. */
  readonly pollIntervalHook?: PollIntervalHook<R>;
}

/**
 * Whether the outcome of a create is recorded, as crossplane-runtime does. Two readers need the record: a reconcile that
 * cannot find what an earlier create made, and the grace period of what is not visible yet. A kind with a deterministic
 * external name and without a grace period has neither.
 */
export function recordsCreateOutcome({
  deterministicExternalName = false,
  creationGracePeriodMs = DEFAULT_CREATION_GRACE_PERIOD_MS,
}: Pick<ManagedKind<Managed>, 'deterministicExternalName' | 'creationGracePeriodMs'>): boolean {
  return !(deterministicExternalName && creationGracePeriodMs === 0);
}

export const DEFAULT_CREATION_GRACE_PERIOD_MS = 30_000;

/** The deadline of all calls to the other side in one reconcile together, in ms. */
export function externalTimeoutOf({
  externalTimeoutMs = 60_000,
}: {
  readonly externalTimeoutMs?: number;
}): number {
  return externalTimeoutMs;
}

/**
 * Upper bound for external writes still in flight after an ownership check, in ms: a request may be sent at the end of the
 * time for external calls, and the external API ends it a little later.
 */
export function ownershipDelayOf(kind: { readonly externalTimeoutMs?: number }): number {
  return externalTimeoutOf(kind) * (1 + AFTERMATH);
}

/** As a share of the time for calls: 10 s of the usual minute. */
const AFTERMATH = 1 / 6;

/** Takes `metadata.name` for the external name where none is recorded. */
export async function nameAsExternalName<R extends Managed>(resource: R, store: StoreChanges): Promise<void> {
  if (externalNameFrom(resource) !== undefined) return;
  setExternalName(resource, resource.metadata.name);
  await store();
}

/** As controllers are named: `managed/bucket.example.org`. */
export function controllerName(type: ResourceType): string {
  return `managed/${[type.kind, type.group].filter(Boolean).join('.')}`.toLowerCase();
}
