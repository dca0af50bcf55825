import type { Deps } from '../../base/deps.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { isRateLimited, parseQuota } from '../retry/quota-headers.ts';
import { parseRetryAfter } from '../retry/retry-after.ts';
import type { HttpResponse } from '../transport/send-request.ts';
import type { HttpClient } from './http-client.ts';

export interface RateLimitedHttpClientOptions extends Pick<Deps, 'clock'> {
  readonly http: HttpClient;
  readonly limit: RateLimit;
  /** Whether a 429 is of another system behind the API. It does not stop other requests. Default: never. */
  readonly isFromBehind?: (response: HttpResponse) => boolean;
}

/** The longest pause after a 429, in ms. A client that pauses longer would be noticed before its limit ends. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Sends requests within a rate limit. */
export function rateLimitedHttpClient({
  http,
  limit,
  clock,
  isFromBehind = () => false,
}: RateLimitedHttpClientOptions): HttpClient {
  return {
    send: async (call, signal) => {
      const limited = await limit.enter(signal);
      try {
        const dispatcher = () => {
          limited.beforeSend();
          return call.dispatcher();
        };
        const response = await http.send({ ...call, dispatcher }, signal);
        const { headers } = response;
        const quota = parseQuota(headers, clock.now());
        if (isRateLimited(response, clock.now()) && !isFromBehind(response)) {
          const asked = { retryAfter: headers['retry-after'], date: headers.date };
          limited.refused(parseRetryAfter(asked, clock.now(), MAX_PAUSE_MS) ?? quota?.resetMs);
        } else limited.answered(quota);
        return response;
      } catch (error) {
        limited.failed();
        throw error;
      }
    },
  };
}
