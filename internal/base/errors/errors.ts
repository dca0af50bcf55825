import { cutText, oneLine } from '../text/text.ts';

/**
 * The closed vocabulary of failures. Each kind has exactly one effect on the reconcile that met it:
 *
 * - `waiting`    something that others own is not there yet: no error backoff, woken when it changes
 * - `contested`  another object has the right to what this one asks for: nothing is done before that one lets go
 * - `terminal`   repeating cannot help until the object's spec changes: no retry before that
 * - `throttled`  the other side asked for patience: next attempt after `retryAfterMs`
 * - `conflict`   the API server saw a newer version of the object: retried silently
 * - `auth`       credentials were refused: error, retried with backoff
 * - `not-found`  what was asked for does not exist: error unless the caller handles it
 * - `transient`  network, timeout, 5xx: error, retried with backoff
 * - `bug`        our own fault (a TypeError, a broken invariant): error, retried with backoff, logged with its stack
 */
export type ErrorKind =
  | 'waiting'
  | 'contested'
  | 'terminal'
  | 'throttled'
  | 'conflict'
  | 'auth'
  | 'not-found'
  | 'transient'
  | 'bug';

/** An error of ours: one line of text, a kind, and the cause it wraps. The text is cut and never holds a credential. */
export class ProviderError extends Error {
  readonly kind: ErrorKind;
  /** What to watch: a change of any of these is worth another attempt, whatever the kind says of retries. */
  readonly targets: readonly WatchedObject[];
  /**
   * Time until the next attempt in ms, where the external API named one; set on `throttled` errors. At most
   * `MAX_RETRY_AFTER_MS`, whatever was asked for.
   */
  readonly retryAfterMs: number | undefined;

  constructor(kind: ErrorKind, message: string, options: ProviderErrorOptions = {}) {
    super(cutText(message), options);
    this.name = new.target.name;
    this.kind = kind;
    this.targets = options.targets ?? [];
    this.retryAfterMs =
      options.retryAfterMs === undefined ? undefined : limitRetryAfter(options.retryAfterMs);
  }
}

export interface ProviderErrorOptions extends ErrorOptions {
  /** Default: none. */
  readonly targets?: readonly WatchedObject[];
  readonly retryAfterMs?: number;
}

/** Something whose change should wake a waiting reconcile. */
export interface WatchedObject {
  /** What is waited for, as users name it: `Secret shop/hana-admin on cluster kyma-1`. */
  readonly description: string;
  /**
   * Starts telling about changes; the returned function stops it. `onChange` may be called more often than
   * something changed, never less, and also when the change happened between the read and this call.
   */
  watch(onChange: () => void): () => void;
}

export interface WaitingOptions extends ProviderErrorOptions {
  /** Retry with the item's backoff as well, for causes that no watch reports (an unreachable cluster). Default false. */
  readonly retry?: boolean;
}

/** Not a failure: the object waits for what its `targets` name. */
export class WaitingError extends ProviderError {
  readonly retry: boolean;

  constructor(message: string, options: WaitingOptions = {}) {
    super('waiting', message, options);
    this.retry = options.retry ?? false;
  }
}

/**
 * Longest wait that a server can ask for, in ms. Rate limits are counted by the minute at most, a settled resource is
 * polled once a minute by default, and a watch that stays closed for longer misses what users create. A server that is
 * asked too early refuses once more.
 */
export const MAX_RETRY_AFTER_MS = 60_000;

/** `ms` within 0 and `MAX_RETRY_AFTER_MS`; 0 for what is no number. */
export function limitRetryAfter(ms: number): number {
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
}

/** The other side named the earliest time for the next attempt. */
export class ThrottledError extends ProviderError {
  declare readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options?: ErrorOptions) {
    super('throttled', message, { ...options, retryAfterMs });
  }
}

/** The first error of `type` in the chain of causes, `error` itself included. */
export function findCause<E extends Error>(
  error: unknown,
  type: abstract new (...args: never[]) => E,
): E | undefined {
  for (let e = error; e instanceof Error; e = e.cause) if (e instanceof type) return e;
  return undefined;
}

/** The kind that decides the effect: that of the outermost ProviderError; for foreign errors a guess. */
export function kindOf(error: unknown): ErrorKind {
  const own = findCause(error, ProviderError);
  if (own) return own.kind;
  const programming = [TypeError, RangeError, ReferenceError, SyntaxError];
  return programming.some((type) => error instanceof type) ? 'bug' : 'transient';
}

/** Puts `prefix: ` before the message and keeps kind, targets, patience and cause. */
export function wrap(cause: unknown, prefix: string): ProviderError {
  const own = findCause(cause, ProviderError);
  return new ProviderError(kindOf(cause), `${prefix}: ${messageOf(cause)}`, {
    cause,
    targets: own?.targets ?? [],
    ...(own?.retryAfterMs === undefined ? {} : { retryAfterMs: own.retryAfterMs }),
  });
}

/** The one-line text of anything thrown, cut at `maxTextLength`. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return oneLine(text);
}
