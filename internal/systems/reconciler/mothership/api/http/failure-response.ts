import { findCause, messageOf, ProviderError, redact } from '../../../../../framework/base/index.ts';

import { type Refusal, RefusedError } from '../../model/refused-error.ts';
import { ApiError } from '../request/api-error.ts';

/** How a request failed. */
export interface RequestFailure {
  readonly status: number;
  /** For the client: of errors that were not foreseen, e.g. of the database, nothing is shown. */
  readonly message: string;
  /** For the log. */
  readonly cause: string;
  /** Whether operators should know. */
  readonly isFault: boolean;
}

/** Statuses of refusals, unless a route has its own. */
const STATUSES: Readonly<Record<Refusal, number>> = {
  'not-found': 404,
  invalid: 400,
  'missing-token': 403,
  'stale-token': 409,
  final: 409,
  'not-new': 409,
  running: 409,
  mismatch: 409,
  foreign: 403,
  busy: 503,
};

export function failureOf(error: unknown): RequestFailure {
  const cause = redact(messageOf(error));
  if (error instanceof ApiError) {
    return { status: error.status, message: cause, cause: causes(error), isFault: error.status >= 500 };
  }
  if (error instanceof RefusedError) {
    return { status: STATUSES[error.refusal], message: cause, cause, isFault: false };
  }
  const known = findCause(error, ProviderError);
  const shown =
    known !== undefined && known.kind !== 'bug' ? redact(messageOf(known)) : 'internal error, see the log';
  return { status: 500, message: shown, cause: causes(error), isFault: true };
}

/** The messages of an error and of what caused it. */
function causes(error: unknown): string {
  const messages: string[] = [];
  for (let e = error; e instanceof Error && messages.length < 5; e = e.cause) messages.push(messageOf(e));
  return redact(messages.length === 0 ? messageOf(error) : messages.join(': '));
}
