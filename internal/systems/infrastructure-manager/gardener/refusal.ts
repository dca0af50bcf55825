import { FencedError } from '../../../framework/base/concurrency/fence.ts';
import {
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  ThrottledError,
} from '../../../framework/base/errors/errors.ts';
import { isConflict, isForbidden, KubeApiError } from '../../../framework/kube/index.ts';

/**
 * What the error of a request means:
 *
 * - `transient`: 429, 5xx or no response, or not sent since Gardener does not respond. It makes no Runtime Failed
 * - `conflict`: the object was changed meanwhile
 * - `forbidden`: 403, also of admission for some invalid changes
 * - `refused`: any other response
 */
export type Refusal = 'transient' | 'conflict' | 'forbidden' | 'refused';

/** Undefined: it is not the error of a request, e.g. this process must not write. */
export function refusalOf(error: unknown): Refusal | undefined {
  const api = findCause(error, KubeApiError);
  if (api === undefined) {
    if (findCause(error, FencedError) !== undefined) return undefined;
    // No connection, no response in time, or not sent since Gardener does not respond.
    const { kind } = findCause(error, ProviderError) ?? {};
    return kind === 'transient' || findCause(error, ThrottledError) !== undefined ? 'transient' : undefined;
  }
  if (api.status === 429 || api.status >= 500 || api.kind === 'throttled' || api.isForeign)
    return 'transient';
  if (isConflict(error)) return 'conflict';
  return isForbidden(error) ? 'forbidden' : 'refused';
}

/** The error of a request to Gardener. Kind and message are those of its cause. */
class GardenerRefusal extends ProviderError {
  readonly refusal: Refusal;

  constructor(refusal: Refusal, cause: unknown) {
    const retryAfterMs = findCause(cause, ProviderError)?.retryAfterMs;
    super(kindOf(cause), messageOf(cause), {
      cause,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    });
    this.refusal = refusal;
  }
}

/** Sends a request to Gardener. @throws GardenerRefusal */
export async function ask<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal === undefined ? error : new GardenerRefusal(refusal, error);
  }
}

/** Of an error of `ask`; undefined for any other error, such as one of the management cluster. */
export const gardenerRefusal = (error: unknown): Refusal | undefined =>
  findCause(error, GardenerRefusal)?.refusal;
