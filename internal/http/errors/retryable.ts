import { NoResponseError, ResponseError } from './errors.ts';

/** Whether a request that failed so may succeed a moment later. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof NoResponseError) return !error.aborted && !['oversized', 'tls'].includes(error.code);
  if (!(error instanceof ResponseError) || error.kind !== 'transient') return false;
  // A 404 of kind transient is a router's.
  return error.status >= 500 || error.status === 408 || error.status === 404;
}

/** As `isRetryable`, for a request that must not have an effect twice: it provably never left. */
export function isRetryableUnsent(error: unknown): boolean {
  return error instanceof NoResponseError && !error.sent && isRetryable(error);
}
