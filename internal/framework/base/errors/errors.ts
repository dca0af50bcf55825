import { cutText, oneLine } from '../text/text.ts';

/**
 * The kinds of errors. Each kind has one effect on the reconcile:
 *
 * - `waiting`    an object of another owner does not exist yet: no error backoff, reconcile when it changes
 * - `contested`  another object owns the external resource: no write until it gives up ownership
 * - `terminal`   a retry cannot succeed: no retry until the object's spec changes
 * - `throttled`  the external API throttles: next attempt after `retryAfterMs`
 * - `conflict`   the object was changed in between: retried, not reported
 * - `auth`       credentials were refused: error, retried with backoff
 * - `not-found`  the requested object does not exist: error, unless it is handled
 * - `transient`  network, timeout, 5xx: error, retried with backoff
 * - `bug`        a fault of the provider (a TypeError, a broken invariant): error, retried with backoff, logged with stack
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

/** An error with a kind and a cause. The message is one line, cut, and must not contain a credential. */
export class ProviderError extends Error {
  readonly kind: ErrorKind;
  /** A change of one of these objects triggers a reconcile, independent of the kind. */
  readonly targets: readonly WatchedObject[];
  /**
   * Time until the next attempt in ms, from the external API; set on `throttled` errors. At most `MAX_RETRY_AFTER_MS`.
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

/** An object whose change triggers a reconcile of the waiting resource. */
export interface WatchedObject {
  /** For messages: `Secret shop/hana-admin on cluster kyma-1`. */
  readonly description: string;
  /**
   * Calls `onChange` after each change, also one between the read of the object and this call, perhaps more often. Returns
   * the function that stops it.
   */
  watch(onChange: () => void): () => void;
}

export interface WaitingOptions extends ProviderErrorOptions {
  /** Also retry with backoff, for causes that no watch reports (an unreachable cluster). Default false. */
  readonly retry?: boolean;
}

/** Not a failure: the resource waits for a change of `targets`. */
export class WaitingError extends ProviderError {
  readonly retry: boolean;

  constructor(message: string, options: WaitingOptions = {}) {
    super('waiting', message, options);
    this.retry = options.retry ?? false;
  }
}

/**
 * The longest Retry-After that is followed, in ms. Rate limits usually count per minute, resources are polled once a minute
 * by default, and a longer delay of a watch would be noticed by users.
 */
export const MAX_RETRY_AFTER_MS = 60_000;

/** `ms` between 0 and `MAX_RETRY_AFTER_MS`; 0 for NaN. */
export function limitRetryAfter(ms: number): number {
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : 0;
}

/** The external API requested a delay before the next attempt. */
export class ThrottledError extends ProviderError {
  declare readonly retryAfterMs: number;

  constructor(message: string, retryAfterMs: number, options?: ErrorOptions) {
    super('throttled', message, { ...options, retryAfterMs });
  }
}

/** A flag, or a file that a flag names, cannot be used. The program ends with exit code 2. */
export class InvalidConfigurationError extends ProviderError {
  constructor(message: string, options?: ErrorOptions) {
    super('terminal', message, options);
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

/** The kind of the outermost ProviderError; for other errors `bug` or `transient` by their class. */
export function kindOf(error: unknown): ErrorKind {
  const own = findCause(error, ProviderError);
  if (own) return own.kind;
  const programming = [TypeError, RangeError, ReferenceError, SyntaxError];
  return programming.some((type) => error instanceof type) ? 'bug' : 'transient';
}

/** Adds `prefix: ` to the message and keeps kind, targets, `retryAfterMs` and cause. */
export function wrap(cause: unknown, prefix: string): ProviderError {
  return derived(cause, `${prefix}: ${messageOf(cause)}`);
}

/** The error with its kind, message and cause, and with `more` besides its own targets. */
export function withTargets(error: unknown, more: readonly WatchedObject[]): unknown {
  return more.length === 0 ? error : derived(error, messageOf(error), more);
}

function derived(cause: unknown, message: string, more: readonly WatchedObject[] = []): ProviderError {
  const own = findCause(cause, ProviderError);
  return new ProviderError(kindOf(cause), message, {
    cause,
    targets: [...(own?.targets ?? []), ...more],
    ...(own?.retryAfterMs === undefined ? {} : { retryAfterMs: own.retryAfterMs }),
  });
}

/** The message of any thrown value, in one line, cut at `maxTextLength`. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return oneLine(text);
}
