import { NoResponseError, ResponseError } from './errors.ts';

/** Whether a retry after this error may succeed. */
export function isRetryable(error: unknown): boolean {
  if (error instanceof NoResponseError) return !error.aborted && !['oversized', 'tls'].includes(error.code);
  if (!(error instanceof ResponseError) || error.kind !== 'transient') return false;
  // A 404 of kind transient is from a router.
  return error.status >= 500 || error.status === 408 || error.status === 404;
}

/** As `isRetryable`, for a request that must not take effect twice: only if it was certainly not sent. */
export function isRetryableUnsent(error: unknown): boolean {
  return error instanceof NoResponseError && !error.sent && isRetryable(error);
}
