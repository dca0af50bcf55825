import { ProviderError } from '../errors/errors.ts';

/** A dependency of requests, e.g. a host, with the maximum of requests in progress for it. */
export interface LimitKey {
  /** Unique in the process, readable: `host api.example.org`. */
  readonly name: string;
  /** It may be a getter; then the limiter is told when it has `grown`. */
  readonly slots: number;
  /**
   * Of a dependency whose speed others decide: requests of all such keys share these slots while the key's requests are not
   * known to end quickly. So many unknown and slow dependencies leave slots for the quick ones.
   */
  readonly shared?: { readonly name: string; readonly slots: number };
}

/** A limit key with a default for its slots. */
export interface LimitKeyOption {
  readonly name: string;
  /** Controllers share the keys of a scope, e.g. of an external API. Default: the key belongs to the controller alone, whatever its name is. */
  readonly scope?: string;
  readonly slots?: number;
  /** The dependency is not part of the installation: a remote cluster, the host of an external API. */
  readonly remote?: boolean;
}

/**
 * Takes slots of further limit keys for a request in progress. Returns the function that releases these slots before the
 * request ends, including slots of the same keys from its start.
 *
 * @throws NotAdmittedError if a key has no free slot; then none is taken
 */
export interface Reserve {
  (limitKeys: readonly LimitKeyOption[]): () => void;
  /** For whom the request works, e.g. the namespace of its object: what it takes of other limits counts for it. Empty: not known. */
  readonly tenant: string;
}

/** Slots of a request that works for a tenant. */
export const reserveFor = (
  tenant: string,
  reserve: (limitKeys: readonly LimitKeyOption[]) => () => void,
): Reserve => Object.assign((limitKeys: readonly LimitKeyOption[]) => reserve(limitKeys), { tenant });

/** The name of a key in the process: equal names of other scopes share no slots. */
export const scopedName = (scope: string, name: string): string => `${scope}: ${name}`;

/** Without a limit. */
export const reserveNothing: Reserve = reserveFor('', () => () => undefined);

/**
 * A limit key of the request has no free slot. The request must end with this error; it is not a failure and is not
 * reported. The request starts again when its limit keys have slots.
 */
export class NotAdmittedError extends ProviderError {
  readonly limitKeys: readonly LimitKeyOption[];

  constructor(limitKeys: readonly LimitKeyOption[]) {
    super('throttled', `no slot is free under ${limitKeys.map(({ name }) => name).join(', ')}`);
    this.limitKeys = limitKeys;
  }
}
