/**
 * How many requests an API still takes, from its response: the headers of the drafts of "RateLimit header fields for HTTP"
 * (`RateLimit: "default";r=50;t=30`, `RateLimit-Remaining`) and their older form `X-RateLimit-Remaining`. The values are untrusted, so
 * they are limited.
 */
import type { HttpResponse } from '../transport/send-request.ts';
import { MIN_RETRY_AFTER_MS, parseRetryAfter } from './retry-after.ts';

export interface Quota {
  /** Requests that are left. */
  readonly remaining: number;
  /** Time until there are more, in ms. */
  readonly resetMs: number;
}

/** An API that says more could stop a client for ever. */
const MAX_RESET_MS = 15 * 60_000;
const MAX_LENGTH = 256;
/** Larger numbers of seconds are a time since the epoch. */
const EPOCH_FROM = 1_000_000_000;

/** Undefined: the response does not say it, or not in full. @param nowMs ms since the epoch, for a reset that is a time */
export function parseQuota(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): Quota | undefined {
  const combined = (headers.ratelimit ?? '').slice(0, MAX_LENGTH);
  const remaining = numberIn(/[;,\s]r(?:emaining)?\s*=\s*(\d{1,15})\b/.exec(`;${combined}`)?.[1]);
  const reset = numberIn(/[;,\s](?:t|reset)\s*=\s*(\d{1,15})\b/.exec(`;${combined}`)?.[1]);
  return (
    quotaOf(remaining, reset, nowMs) ??
    quotaOf(numberIn(headers['ratelimit-remaining']), numberIn(headers['ratelimit-reset']), nowMs) ??
    quotaOf(numberIn(headers['x-ratelimit-remaining']), numberIn(headers['x-ratelimit-reset']), nowMs)
  );
}

/**
 * Whether an API refuses a request only because there were too many: 429, or, as GitHub has it, a 403 that asks to wait or says that no
 * request is left. Other credentials would not help.
 */
export function isRateLimited(
  { status, headers }: Pick<HttpResponse, 'status' | 'headers'>,
  nowMs: number,
): boolean {
  if (status !== 403) return status === 429;
  return headers['retry-after'] !== undefined || parseQuota(headers, nowMs)?.remaining === 0;
}

/**
 * The time in ms that a response other than success asks to wait; undefined if it asks for none. An outage of unknown length (503 without
 * Retry-After) does not.
 *
 * @param defaultMs for a rate limit without a time
 */
export function requestedPause(
  response: Pick<HttpResponse, 'status' | 'headers'>,
  nowMs: number,
  defaultMs: number,
): number | undefined {
  const { status, headers } = response;
  const isLimited = isRateLimited(response, nowMs);
  if (!isLimited && status !== 503) return undefined;
  const asked = parseRetryAfter({ retryAfter: headers['retry-after'], date: headers.date }, nowMs);
  if (asked !== undefined || !isLimited) return asked;
  const quota = parseQuota(headers, nowMs);
  return quota?.remaining === 0 ? Math.max(quota.resetMs, MIN_RETRY_AFTER_MS) : defaultMs;
}

function numberIn(text: string | undefined): number | undefined {
  const found = /^\s{0,8}(\d{1,15})(?:\.\d{1,9})?\s{0,8}$/.exec((text ?? '').slice(0, MAX_LENGTH))?.[1];
  return found === undefined ? undefined : Number(found);
}

function quotaOf(remaining: number | undefined, reset: number | undefined, nowMs: number): Quota | undefined {
  if (remaining === undefined || reset === undefined) return undefined;
  const resetMs = reset >= EPOCH_FROM ? reset * 1000 - nowMs : reset * 1000;
  return { remaining, resetMs: Math.min(Math.max(0, resetMs), MAX_RESET_MS) };
}
