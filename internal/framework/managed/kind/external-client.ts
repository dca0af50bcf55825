import type { Reserve } from '../../base/concurrency/limit-key.ts';
import type { WatchedObject } from '../../base/errors/errors.ts';
import type { Logger } from '../../base/telemetry/telemetry.ts';
import type { Clock } from '../../base/time/clock.ts';
import type { ConnectionDetails } from '../connection/connection-publisher.ts';
import type { Managed } from '../resource/managed.ts';

/** Context of an external call. `signal` ends with the deadline of the call; pass it to everything that waits. */
export interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Nothing changed and nothing was requested: a poll, a resync or the start of the process. Only then may the client
   * use data that it read shortly before.
   */
  readonly isLowPriority: boolean;
  /**
   * Reserves slots under more limit keys, e.g. that of a host. Call it before the first write and rethrow its
   * NotAdmittedError: the resource is reconciled again once all its limit keys have slots.
   */
  readonly reserve: Reserve;
  /**
   * Throws unless external writes are allowed: outside of create, update and delete, and once another replica or
   * shard may write. Call it right before each request that writes, retries included, because the process may have
   * been suspended since the last check.
   */
  assertMayWrite(): void;
}

/** Fields of an external resource, shown in a plan. No credentials. */
export type ExternalFields = Readonly<Record<string, string | number | boolean>>;

/** The result of Observe. The reconciler records an `externalName` that differs from the recorded one. */
export type Observation =
  | {
      readonly state: 'absent';
      /**
       * The name that Create will use, if it is known beforehand. It is recorded together with the intent to create,
       * so that the next reconcile finds the external resource even if the process ends during Create.
       */
      readonly externalName?: string;
      /** An earlier Create that had succeeded has come to nothing, e.g. its operation has failed. Default false. */
      readonly createFailed?: boolean;
      /** For users, if an earlier Create has succeeded and what it made was never found: what may be wrong. */
      readonly advice?: string;
      /** Fields of the external resource that Create will make. */
      readonly desired?: ExternalFields;
      readonly connectionDetails?: ConnectionDetails;
    }
  | {
      readonly state: 'present';
      readonly upToDate: boolean;
      /** The difference, for users: one line, no credentials. */
      readonly diff?: string;
      /** The difference by field. */
      readonly current?: ExternalFields;
      readonly desired?: ExternalFields;
      /**
       * Set if only Delete followed by Create can apply the spec. `identity`: the spec describes another external
       * resource, and the recorded one must be deleted (needs the Create and Delete policies). `drift`: a field that
       * cannot be updated in place differs (needs Update as well).
       */
      readonly replace?: 'identity' | 'drift';
      /** With `replace`: the name that Create will use. */
      readonly externalName?: string;
      /** Observe has filled unset fields of the spec; the reconciler stores them. */
      readonly lateInitialized?: boolean;
      readonly connectionDetails?: ConnectionDetails;
      /**
       * Objects that Observe has read, e.g. a Secret whose value the external resource has. A change of one requests a
       * reconcile, before the next poll. Default: none.
       */
      readonly targets?: readonly WatchedObject[];
    }
  | {
      /** The external API has `operation` in progress; nothing is written until it ends. */
      readonly state: 'pending';
      readonly operation: string;
      readonly checkAfterMs: number;
      /** The external name, if the external API has chosen it and only now says so. */
      readonly externalName?: string;
    };

export interface ExternalResult {
  /** The external name, if only Create learns it. */
  readonly externalName?: string;
  readonly connectionDetails?: ConnectionDetails;
  /** Of Delete: it has only begun. A create that replaces the external resource waits until Observe finds it gone. Default false. */
  readonly endsLater?: boolean;
  /** Written to the change log as it is. No credentials. */
  readonly additionalDetails?: Readonly<Record<string, string>>;
}

/**
 * The external client of one reconcile. Calls must be idempotent and must not wait for a long operation to end.
 * `observe` sets `status.atProvider` and the Ready condition of the given resource. The reconciler never sets
 * Ready=True and keeps what observe set, even after writes in between. Annotations that each of them sets are
 * stored too, also if it fails. Each call may throw WaitingError, ThrottledError or a `terminal` ProviderError (see
 * internal/framework/base/errors/errors.ts).
 */
export interface ExternalClient<R extends Managed> {
  observe(resource: R, ctx: ReconcileContext): Promise<Observation>;
  create(resource: R, ctx: ReconcileContext): Promise<ExternalResult>;
  update(resource: R, ctx: ReconcileContext): Promise<ExternalResult>;
  /** Deletes the *recorded* external resource. It is no error if it does not exist. */
  delete(resource: R, ctx: ReconcileContext): Promise<ExternalResult>;
  /** Called at the end of the reconcile if Connect succeeded. An error only records an event. */
  disconnect?(ctx: ReconcileContext): Promise<void>;
}

/** Makes external clients: finds the address and the credentials. May set Ready=False with a reason. */
export interface Connector<R extends Managed> {
  connect(resource: R, ctx: ReconcileContext): Promise<ExternalClient<R>>;
  /** Called before the client's own `disconnect`, under the same rules. */
  disconnect?(ctx: ReconcileContext): Promise<void>;
}
