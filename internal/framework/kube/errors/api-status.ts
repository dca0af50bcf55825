import { valueAt } from '../../base/json/json-value.ts';
import { redact } from '../../base/text/redact.ts';

type Scrub = (text: string) => string;

/** The fields of a `v1 Status` that are used here. */
export interface ApiStatus {
  readonly message: string;
  /** Machine-readable, e.g. `NotFound`, `AlreadyExists`; empty if the server sent none. */
  readonly reason: string;
  readonly code: number | undefined;
  readonly details: StatusDetails | undefined;
}

export interface StatusDetails {
  /** The name of the object. Absent in a 404 if the server does not serve the kind. */
  readonly name?: string;
  readonly group?: string;
  /** The plural of the resource, not the kind. */
  readonly kind?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly StatusCause[];
}

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The text of each is searched for credentials, and the server of a tenant may send very many. */
const MAX_CAUSES = 50;

/**
 * The Status in `body`, or undefined if the response is not from an API server.
 *
 * @param scrub masks credentials in its texts. Default: those that are recognised by form or name
 */
export function parseApiStatus(body: string, scrub: Scrub = redact): ApiStatus | undefined {
  try {
    return readApiStatus(JSON.parse(body), scrub);
  } catch {
    return undefined;
  }
}

export function readApiStatus(value: unknown, scrub: Scrub = redact): ApiStatus | undefined {
  if (valueAt(value, ['kind']) !== 'Status') return undefined;
  const details = valueAt(value, ['details']);
  return {
    message: scrub(text(value, 'message') ?? ''),
    reason: text(value, 'reason') ?? '',
    code: count(value, 'code'),
    details: typeof details === 'object' && details !== null ? readDetails(details, scrub) : undefined,
  };
}

function readDetails(details: object, scrub: Scrub): StatusDetails {
  const causes = valueAt(details, ['causes']);
  return {
    ...optional('name', text(details, 'name')),
    ...optional('group', text(details, 'group')),
    ...optional('kind', text(details, 'kind')),
    ...optional('retryAfterSeconds', count(details, 'retryAfterSeconds')),
    ...(Array.isArray(causes)
      ? { causes: causes.slice(0, MAX_CAUSES).map((cause) => readCause(cause, scrub)) }
      : {}),
  };
}

function readCause(cause: unknown, scrub: Scrub): StatusCause {
  const message = text(cause, 'message');
  return {
    ...optional('reason', text(cause, 'reason')),
    ...optional('message', message === undefined ? undefined : scrub(message)),
    ...optional('field', text(cause, 'field')),
  };
}

function text(value: unknown, key: string): string | undefined {
  const found = valueAt(value, [key]);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function count(value: unknown, key: string): number | undefined {
  const found = valueAt(value, [key]);
  return typeof found === 'number' && Number.isFinite(found) ? found : undefined;
}

function optional<K extends string, V>(key: K, value: V | undefined): { [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { [P in K]?: V });
}
