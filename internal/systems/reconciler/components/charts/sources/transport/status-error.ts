import {
  type ErrorKind,
  type ProviderError,
  ThrottledError,
} from '../../../../../../framework/base/errors/errors.ts';
import { parseRetryAfter } from '../../../../../../framework/http/retry/retry-after.ts';
import { shownUrl } from '../model/chart-source.ts';
import { SourceError } from '../model/source-error.ts';

/** When a 429 or 503 has no usable `Retry-After`, in ms. */
const DEFAULT_PAUSE_MS = 10_000;

/** The error for a response with another status than the expected ones. Its body is not quoted. */
export function errorOfStatus(
  url: URL,
  status: number,
  headers: Readonly<Record<string, string>>,
  nowMs: number,
): ProviderError {
  const text = `${shownUrl(url)} answered ${status}`;
  if (status === 429 || (status === 503 && headers['retry-after'] !== undefined)) {
    return new ThrottledError(
      text,
      parseRetryAfter({ retryAfter: headers['retry-after'], date: headers.date }, nowMs) ?? DEFAULT_PAUSE_MS,
    );
  }
  return new SourceError(kindOf(status), text);
}

function kindOf(status: number): ErrorKind {
  if (status === 404 || status === 410) return 'not-found';
  if (status === 401 || status === 403) return 'auth';
  return status >= 500 || status === 408 ? 'transient' : 'terminal';
}
