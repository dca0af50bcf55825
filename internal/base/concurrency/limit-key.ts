import { ProviderError } from '../errors/errors.ts';

/** Something that requests depend on, e.g. a host, with the number of requests that may be in progress under it. */
export interface LimitKey {
  /** Unique in the process, for people: `host api.example.org`. */
  readonly name: string;
  readonly slots: number;
}

/** A limit key whose slots may be left to a default. */
export type LimitKeyOption = Pick<LimitKey, 'name'> & Partial<LimitKey>;

/**
 * Takes slots under more limit keys for a request in progress. Returns the function that gives them back before the
 * request ends, those included that it has had from its start.
 *
 * @throws NotAdmittedError if one of them has no slot; none is taken then
 */
export type Reserve = (limitKeys: readonly LimitKeyOption[]) => () => void;

/** For requests that nothing limits. */
export const reserveNothing: Reserve = () => () => undefined;

/**
 * A limit key that a request needs has no slot. The request has to end with this error. Nothing failed and nothing is
 * reported: it starts again from its beginning once its limit keys have slots.
 */
export class NotAdmittedError extends ProviderError {
  readonly limitKeys: readonly LimitKeyOption[];

  constructor(limitKeys: readonly LimitKeyOption[]) {
    super('throttled', `no slot is free under ${limitKeys.map(({ name }) => name).join(', ')}`);
    this.limitKeys = limitKeys;
  }
}
