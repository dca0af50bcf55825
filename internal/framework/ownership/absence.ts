/**
 * That a resource is gone needs proof, before a finalizer is removed or another one is created in its place. Proof is an answer of its own
 * API about this very resource in the form of its contract, or a second request that agrees, such as a list without it. A 404 of a
 * gateway, of another resource or for other credentials is no proof.
 */
import { ProviderError } from '../base/errors/errors.ts';

/**
 * What one response says about a resource:
 *
 * - `present`  it exists
 * - `absent`   it does not exist: an error about this resource in the form of the API's contract, or a list without it
 * - `unclear`  a 404 or 410 in another form
 */
export type Existence =
  | { readonly state: 'present' | 'absent' }
  /** `response` is for messages: `HTTP status 404 without the error code of Service Manager` */
  | { readonly state: 'unclear'; readonly response: string };

/** Nothing proves that the resource is gone. The deletion waits and is retried with growing delays. */
export class UnprovenAbsenceError extends ProviderError {
  constructor(resource: string, responses: readonly string[], options?: ErrorOptions) {
    super('transient', `cannot tell whether ${resource} is deleted: ${responses.join('; ')}`, options);
  }
}

/**
 * Whether the resource is proved to be gone.
 *
 * @param resource for messages: `ServiceBinding 4f1c of Service Manager`
 * @param secondLook another request, sent if the first response is unclear. Default: there is none
 * @param unproven the error if no response is clear. Default: UnprovenAbsenceError
 */
export async function isProvedAbsent(
  resource: string,
  first: Existence,
  secondLook?: () => Promise<Existence>,
  unproven = (responses: readonly string[]): ProviderError => new UnprovenAbsenceError(resource, responses),
): Promise<boolean> {
  if (first.state !== 'unclear') return first.state === 'absent';
  const second = await secondLook?.();
  if (second !== undefined && second.state !== 'unclear') return second.state === 'absent';
  throw unproven(second === undefined ? [first.response] : [first.response, second.response]);
}
