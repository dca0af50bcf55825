import type { Answer } from '../../base/answer.ts';
import { failure } from '../answers.ts';

/** A number of requests of one client in each window of time. */
export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  /** The form of Retry-After. Default `seconds`. */
  readonly retryAfter?: 'seconds' | 'http-date' | 'time' | 'none';
}

/** Refuses requests beyond the limit until the window ends. */
export function createRateLimiter(limit: () => RateLimit | null): (clientID: string) => Answer | undefined {
  const windows = new Map<string, { startedAt: number; requests: number }>();
  return (clientID) => {
    const current = limit();
    if (current === null) return undefined;
    const now = Date.now();
    const known = windows.get(clientID);
    const window =
      known !== undefined && now - known.startedAt < current.windowMs
        ? known
        : { startedAt: now, requests: 0 };
    windows.set(clientID, window);
    window.requests++;
    if (window.requests <= current.requests) return undefined;
    return failure(
      429,
      'TooManyRequests',
      'the rate limit is exceeded',
      retryAfter(current, window.startedAt + current.windowMs),
    );
  };
}

function retryAfter({ retryAfter: form = 'seconds' }: RateLimit, endsAt: number): Record<string, string> {
  const at = new Date(Math.ceil(endsAt / 1000) * 1000);
  switch (form) {
    case 'seconds':
      return { 'retry-after': String(Math.max(1, Math.ceil((endsAt - Date.now()) / 1000))) };
    case 'http-date':
      return { 'retry-after': at.toUTCString() };
    case 'time':
      return { 'retry-after': `${at.toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC` };
    case 'none':
      return {};
    default:
      return form satisfies never;
  }
}
