import { FencedError } from '../../base/concurrency/fence.ts';
import { NotAdmittedError } from '../../base/concurrency/limit-key.ts';
import { kindOf, messageOf, ProviderError, ThrottledError, wrap } from '../../base/errors/errors.ts';
import { EndpointRefusedError } from '../transport/endpoint-guard.ts';
import { LostResponseError, NoResponseError, ResponseError } from './errors.ts';

export interface FailedCall {
  /** Completes `cannot …`. */
  readonly doing: string;
  /** The route of a call that must not be retried if its response may have been lost. */
  readonly unrepeatable?: string;
  readonly signal: AbortSignal;
  readonly scrub: (text: string) => string;
  /** Where the credentials of the call are, for messages about their refusal. */
  readonly credentials?: string | undefined;
}

/**
 * The error of a call: `cannot <doing>: <cause>`, with the class and kind of its cause. For an aborted signal, the signal's
 * reason, unless the call may have had an effect.
 */
export function errorOfCall(
  error: unknown,
  { doing, unrepeatable, signal, scrub, credentials }: FailedCall,
): unknown {
  const message = `cannot ${doing}: ${messageOf(error)}`;
  if (error instanceof NoResponseError) {
    const { cause, aborted } = error;
    if (unrepeatable !== undefined && error.sent)
      return new LostResponseError(lost(message), aborted ? { cause } : {});
    return aborted ? cause : new NoResponseError(message, error);
  }
  if (error instanceof NotAdmittedError) return error;
  if (signal.aborted && (error === signal.reason || !(error instanceof ProviderError))) return signal.reason;
  if (error instanceof ThrottledError) return new ThrottledError(message, error.retryAfterMs);
  if (error instanceof EndpointRefusedError) return new EndpointRefusedError(message);
  if (error instanceof ResponseError) {
    const outcomeUnknown = error.isEffectUnknown && error.route === unrepeatable;
    if (outcomeUnknown) return new LostResponseError(lost(message));
    const isRefusal = error.kind === 'auth' && credentials !== undefined;
    return error.withMessage(isRefusal ? `${message} (credentials: ${credentials})` : message);
  }
  if (error instanceof FencedError) return wrap(error, `cannot ${doing}`);
  if (error instanceof ProviderError) return new ProviderError(error.kind, message);
  return scrubbed(error, message, scrub);
}

function lost(message: string): string {
  return `${message} (it may have taken effect)`;
}

/** Other errors, mostly bugs, keep their stack; their message is redacted. */
function scrubbed(error: unknown, message: string, scrub: (text: string) => string): ProviderError {
  const own = new ProviderError(kindOf(error), scrub(message));
  if (error instanceof Error && error.stack !== undefined) own.stack = scrub(error.stack);
  return own;
}
