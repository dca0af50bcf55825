import type { Reserve } from '../../../base/concurrency/limit-key.ts';
import type { Logger } from '../../../base/telemetry/logger.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { ConnectionDetails } from '../../connection/connection-publisher.ts';
import type { Managed } from '../../resource/managed.ts';

/** What a call may use. `signal` ends with the call's deadline; everything that waits must take it. */
export interface ReconcileContext {
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /**
   * Nothing changed and nothing was requested: a poll, a resync or the start of the process. Only then may the client use what
   * it learned of the external API shortly before.
   */
  readonly isLowPriority: boolean;
  /**
   * Takes slots under more limit keys, e.g. that of a host which is about to be called; to be called before the first
   * write. Its NotAdmittedError has to be passed on: the resource is reconciled again, from the beginning, once all its
   * limit keys have slots.
   */
  readonly reserve: Reserve;
  /**
   * Throws where nothing may be changed on the other side: outside of create, update and delete, and within them once
   * another process may be at work, be it another replica or another shard. To be called right before each request that
   * changes something is sent, also a repeated one, since the process may have stood still after everything else.
   */
  assertMayWrite(): void;
}

/** What identifies or describes an external resource, by field, for people who ask for a plan. No credentials. */
export type ExternalFields = Readonly<Record<string, string | number | boolean>>;

/** What Observe found. An `externalName` that differs from the recorded one is recorded by the reconciler. */
export type Observation =
  | {
      readonly state: 'absent';
      /**
       * The name that Create will give. Where it is known beforehand it is recorded together with the intent to
       * create, so that a crash between Create and its record heals by itself.
       */
      readonly externalName?: string;
      /** What Create will make. */
      readonly desired?: ExternalFields;
      readonly connectionDetails?: ConnectionDetails;
    }
  | {
      readonly state: 'present';
      readonly upToDate: boolean;
      /** What differs, for people: one line, no credentials. */
      readonly diff?: string;
      /** The same by field: as it is, and as it should be. */
      readonly current?: ExternalFields;
      readonly desired?: ExternalFields;
      /**
       * Set where only Delete followed by Create brings the external resource to what is asked. `identity`: the
       * resource now stands for another external resource, and the recorded one must not stay behind (needs the
       * Create and Delete policies). `drift`: a field that cannot be changed in place (needs Update as well).
       */
      readonly replace?: 'identity' | 'drift';
      /** With `replace`: the name that Create will give. */
      readonly externalName?: string;
      /** Observe filled unset spec fields of the resource it was given; the reconciler stores them. */
      readonly lateInitialized?: boolean;
      readonly connectionDetails?: ConnectionDetails;
    }
  | {
      /** The other side is still working on `operation`; nothing is written before it is done. */
      readonly state: 'pending';
      readonly operation: string;
      readonly checkAfterMs: number;
    };

export interface Result {
  /** The name under which the other side knows the resource, where only Create learns it. */
  readonly externalName?: string;
  readonly connectionDetails?: ConnectionDetails;
  /** For the change log, which tells it as it is. No credentials. */
  readonly additionalDetails?: Readonly<Record<string, string>>;
}

/**
 * One reconcile's connection to the other side. Calls must be idempotent and must not block until the other side
 * is done. `observe` sets `status.atProvider` and the Ready condition on the resource it is given; the reconciler
 * never sets Ready=True itself and stores what observe set even if a write comes in between. Annotations that observe
 * or create set are stored too. Every verb may throw WaitingError, ThrottledError or a `terminal` ProviderError
 * (internal/base/errors/errors.ts says what each brings about).
 */
export interface ExternalClient<R extends Managed> {
  observe(resource: R, ctx: ReconcileContext): Promise<Observation>;
  create(resource: R, ctx: ReconcileContext): Promise<Result>;
  update(resource: R, ctx: ReconcileContext): Promise<Result>;
  /** Deletes the *recorded* external resource; one that is gone already is no error. */
  delete(resource: R, ctx: ReconcileContext): Promise<Result>;
  /** Called at the end of the reconcile if Connect succeeded; an error becomes an event only. */
  disconnect?(ctx: ReconcileContext): Promise<void>;
}

/** Finds out how to reach the other side, with which credentials. May set Ready=False with a reason of its own. */
export interface Connector<R extends Managed> {
  connect(resource: R, ctx: ReconcileContext): Promise<ExternalClient<R>>;
  /** Called before the client's own `disconnect`, under the same rules. */
  disconnect?(ctx: ReconcileContext): Promise<void>;
}
