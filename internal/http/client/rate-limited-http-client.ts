import type { Deps } from '../../base/deps.ts';
import type { RateLimit } from '../limits/rate-limit.ts';
import { parseRetryAfter } from '../retry/retry-after.ts';
import type { HttpClient } from './http-client.ts';

export interface RateLimitedHttpClientOptions extends Pick<Deps, 'clock'> {
  readonly http: HttpClient;
  readonly limit: RateLimit;
}

/** The longest pause after a 429, in ms. A client that pauses longer would be noticed before its limit ends. */
const MAX_PAUSE_MS = 15 * 60_000;

/** Sends requests within a rate limit. */
export function rateLimitedHttpClient({ http, limit, clock }: RateLimitedHttpClientOptions): HttpClient {
  return {
    send: async (call, signal) => {
      const limited = await limit.enter(signal);
      try {
        const dispatcher = () => {
          limited.beforeSend();
          return call.dispatcher();
        };
        const response = await http.send({ ...call, dispatcher }, signal);
        const { status, headers } = response;
        const asked = { retryAfter: headers['retry-after'], date: headers.date };
        if (status === 429) limited.refused(parseRetryAfter(asked, clock.now(), MAX_PAUSE_MS));
        else limited.answered();
        return response;
      } catch (error) {
        limited.failed();
        throw error;
      }
    },
  };
}
