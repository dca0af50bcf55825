/**
 * `provider-kyma/base`: what all rooms share and every provider meets. Errors first: the kind of the error that is
 * thrown decides what follows. `Deps` (clock, random numbers, log, metrics, tracer) is handed in everywhere, so that tests can
 * replace it.
 */
export { type Backoff, type BackoffOptions, createBackoff, type FailureCounts } from './backoff.ts';
export type { JsonLimits } from './bounded-json.ts';
export { type ByteBudget, createByteBudget } from './byte-budget.ts';
export { type Clock, sleep, systemClock } from './clock.ts';
export {
  type ConcurrencyLimiter,
  type ConcurrencyLimiterOptions,
  createConcurrencyLimiter,
  type LimitedRequest,
  type RequestGroup,
  type RequestGroupOptions,
} from './concurrency-limiter.ts';
export { createDeps, type Deps, type DepsWith } from './deps.ts';
export { formatDuration, parseDuration } from './duration.ts';
export {
  type ErrorKind,
  findCause,
  kindOf,
  messageOf,
  ProviderError,
  type ProviderErrorOptions,
  ThrottledError,
  WaitingError,
  type WaitingOptions,
  type WaitTarget,
  wrap,
} from './errors.ts';
export { type Fence, FencedError, NotLeaderError, noFence, PostponedError } from './fence.ts';
export {
  type LimitKey,
  type LimitKeyOption,
  NotAdmittedError,
  type Reserve,
  reserveNothing,
} from './limit-key.ts';
export { type LogFields, type Logger, nopLogger } from './logger.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type MetricOptions,
  type Metrics,
  nopMetrics,
} from './metrics.ts';
export { jitter, type Random, systemRandom } from './random.ts';
export { createScrubber, mask, redact } from './redact.ts';
export { createTokenBucket, type TokenBucket, type TokenBucketOptions } from './token-bucket.ts';
export { nopTracer, type Span, type SpanAttributes, type SpanOptions, type Tracer } from './tracer.ts';
