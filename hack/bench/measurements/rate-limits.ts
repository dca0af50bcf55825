import { createFakeClock } from '../../../internal/framework/base/time/fake-clock.ts';
import {
  type ApiLimit,
  demand,
  fixedWindow,
  slidingWindow,
  tokenBucket,
} from '../../../internal/framework/http/limits/limited-api.fixture.ts';
import { createRateLimit } from '../../../internal/framework/http/limits/rate-limit.ts';
import type { Measurement } from '../measurement.ts';
import { count, type Figure, figure } from '../report/figures.ts';

const PAUSE_MS = 10_000;
const REQUESTS = 1000;
const WINDOWS = 10;
const limits: readonly ApiLimit[] = [
  { requests: 60, windowMs: 10_000 },
  { requests: 600, windowMs: 60_000 },
];
const kinds = {
  'fixed windows': fixedWindow,
  'sliding windows': slidingWindow,
  'a token bucket': tokenBucket,
};

export const rateLimits: Measurement = {
  name: 'rate-limits',
  title: 'Rate limits of an API',
  method:
    'On a simulated clock, so that the figures are the same on every machine. 24 workers send requests that take 20 ms, and always have more to send. ' +
    'Once, one request is answered with 429 and Retry-After of 10 s. Then the API has a true limit for the time of ten windows; the first two refusals show it. ' +
    'A 429 in a row is one for a request that was sent after another 429 was known, without an answer between.',
  run: async () => {
    const [free, refused] = [await timeOf(0), await timeOf(100)];
    const figures: Figure[] = [
      figure(
        `${count(REQUESTS)} requests after one 429: time without the pause, as a multiple of that without a 429`,
        '',
        (refused - PAUSE_MS) / free,
        1.2,
      ),
    ];
    for (const [kind, create] of Object.entries(kinds)) {
      for (const limit of limits) {
        const { clock, own } = await newLimit();
        const forMs = WINDOWS * limit.windowMs;
        const result = await demand(clock, own, create(clock, limit), { forMs });
        const what = `${limit.requests} requests in ${limit.windowMs / 1000} s, ${kind}`;
        const unused = 1 - result.answered / (limit.requests * WINDOWS);
        figures.push(
          figure(`${what}: part of the limit that is not used`, '', Math.max(0, unused), 0.1),
          figure(`${what}: responses 429`, '', result.refused),
          figure(`${what}: 429 in a row`, '', result.inRow, 0),
        );
      }
    }
    return { figures };
  },
};

async function newLimit() {
  const clock = createFakeClock();
  await clock.advance(5000);
  return { clock, own: createRateLimit({ clock, name: 'this client' }) };
}

/** How long the requests take if that one is refused; zero: none. */
async function timeOf(refusedRequest: number): Promise<number> {
  const { clock, own } = await newLimit();
  let requests = 0;
  const api = () => (++requests === refusedRequest ? PAUSE_MS : undefined);
  return (await demand(clock, own, api, { answers: REQUESTS + 100, forMs: 60_000 })).ms;
}
