import type { LimitKeyOption } from '../../base/concurrency/limit-key.ts';
import type { Source } from '../../controller/sources/source.ts';
import type { ObjectCache } from '../../kube/cache/cache.ts';
import type { ResourceType } from '../../kube/object/resource-type.ts';
import type { ConfigUse } from '../providerconfig/config-use.ts';
import type { ReferenceResolver } from '../references/reference-resolver.ts';
import type { Managed } from '../resource/managed.ts';
import { externalNameFrom, setExternalName } from '../resource/meta.ts';
import type { Connector, ReconcileContext } from './external-client.ts';
import type { ManagementAction } from './policies.ts';
import type { PollIntervalHook } from './poll.ts';

/** Prepares a resource before its first Observe; the first one that throws ends the reconcile. */
export type Initializer<R extends Managed> = (resource: R, store: StoreChanges) => Promise<void>;

/**
 * Stores the changes of an initializer. With deterministic names a crash before the write loses nothing, so the
 * changes are stored together with the finalizer.
 */
export type StoreChanges = () => Promise<void>;

/** A kind of managed resources, as its author defines it. */
export interface ManagedKind<R extends Managed> {
  readonly type: ResourceType<R>;
  readonly connector: Connector<R>;
  /** Sets Ready after a failed Connect, which may fail before the connector is called. Default: Ready stays. */
  readonly connectFailed?: (resource: R, error: unknown, ctx: ReconcileContext) => void;
  /** Records resources as users of their provider configuration; default: no record. */
  readonly configUse?: ConfigUse;
  /** Sources of requests besides changes of the resources. Called once. Default: none. */
  readonly sources?: (cache: ObjectCache<R>) => readonly Source[];
  /**
   * The limit keys of a resource: the remote clusters and hosts that its reconcile uses, if known. Requests of one
   * limit key use at most its slots, by default a quarter of the workers; other requests wait without a worker. Keys
   * that Connect finds are added by `ctx.reserve`. Kinds of tenants add `shareOfNamespace`. Default: none.
   */
  readonly limitKeysOf?: (resource: R) => readonly LimitKeyOption[];
  /**
   * Observe finds the result of Create without the response of Create. A create without a recorded outcome is then
   * repeated instead of waiting for a user. Without a grace period the outcome is not recorded, which saves a write.
   * Default false.
   */
  readonly deterministicExternalName?: boolean;
  /**
   * Observes again right after Create, so that a resource can be ready after its first reconcile. Only for external
   * APIs that show a created resource at once. Default false.
   */
  readonly observeAfterCreate?: boolean;
  /**
   * Observes again right after Update, so that UpToDate is True once the external API shows it. Otherwise the next poll does. Only for
   * external APIs that show an update at once. Default false.
   */
  readonly observeAfterUpdate?: boolean;
  /** Observes again right after Delete, so that the finalizer can be removed in the same reconcile. Default false. */
  readonly observeAfterDelete?: boolean;
  /** Default: `[nameAsExternalName]`. */
  readonly initializers?: readonly Initializer<R>[];
  /**
   * Fills fields of the spec from references; changes are stored. Called before Connect, but not during deletion.
   * Default: no references.
   */
  readonly resolveReferences?: (resource: R, references: ReferenceResolver) => Promise<void>;
  /** Supported sets of management policies; default: all of Crossplane. */
  readonly supportedPolicies?: readonly (readonly ManagementAction[])[];
  /**
   * Time after a successful Create in which an absent resource counts as not visible yet, in ms; default 30000. Use 0
   * if the external API shows a created resource at once.
   */
  readonly creationGracePeriodMs?: number;
  /** Deadline of all external calls of one reconcile together, in ms; default 60000. */
  readonly externalTimeoutMs?: number;
  /**
   * Groups settled resources that read the same external data, so that they are polled together. Default: each
   * resource is polled on its own.
   */
  readonly pollGroupOf?: (resource: R) => string | undefined;
  /** Replaces the hook of the controller, including jitter and groups. */
  readonly pollIntervalHook?: PollIntervalHook<R>;
}

/**
 * For `limitKeysOf` of kinds whose resources name hosts or clusters. Who may write a namespace chooses these, which may never respond,
 * and as many of them as the namespace has resources. So the resources of one namespace have a quarter of the workers, and those of all
 * whose external systems are slow or unknown three quarters.
 */
export const shareOfNamespace = ({ metadata: { namespace } }: Managed): readonly LimitKeyOption[] =>
  namespace === undefined ? [] : [{ name: `external systems of namespace ${namespace}`, remote: true }];

/**
 * Whether the outcome of a create is recorded, as in crossplane-runtime. The record serves a reconcile that cannot
 * find the result of an earlier create, and the grace period. A kind with a deterministic external name and no grace
 * period needs neither.
 */
export function recordsCreateOutcome({
  deterministicExternalName = false,
  creationGracePeriodMs = DEFAULT_CREATION_GRACE_PERIOD_MS,
}: Pick<ManagedKind<Managed>, 'deterministicExternalName' | 'creationGracePeriodMs'>): boolean {
  return !(deterministicExternalName && creationGracePeriodMs === 0);
}

export const DEFAULT_CREATION_GRACE_PERIOD_MS = 30_000;

/** Sets the external name to `metadata.name` if none is recorded (`NameAsExternalName` in crossplane-runtime). */
export async function nameAsExternalName<R extends Managed>(resource: R, store: StoreChanges): Promise<void> {
  if (externalNameFrom(resource) !== undefined) return;
  setExternalName(resource, resource.metadata.name);
  await store();
}

/** The name of a controller, e.g. `managed/bucket.example.org`. */
export function controllerName(type: ResourceType): string {
  return `managed/${[type.kind, type.group].filter(Boolean).join('.')}`.toLowerCase();
}
