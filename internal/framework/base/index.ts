/**
 * `provider-kyma/base`: what all layers share and every provider uses. Errors first: the kind of the error that is
 * thrown decides what follows. `Deps` (clock, random numbers, log, metrics, tracer) is handed in everywhere, so that tests can
 * replace it.
 */

export {
  type ByteBudget,
  createByteBudget,
  createShares,
  type HeldBytes,
  holdBytes,
  type Shares,
  type SharesOptions,
} from './collections/byte-budget.ts';
export {
  type ConcurrencyLimiter,
  type ConcurrencyLimiterOptions,
  createConcurrencyLimiter,
  type LimitedRequest,
  type RequestGroup,
  type RequestGroupOptions,
} from './concurrency/concurrency-limiter.ts';
export { type Fence, FencedError, NotLeaderError, noFence, PostponedError } from './concurrency/fence.ts';
export { inParallel } from './concurrency/in-parallel.ts';
export {
  type LimitKey,
  type LimitKeyOption,
  NotAdmittedError,
  type Reserve,
  reserveFor,
  reserveNothing,
} from './concurrency/limit-key.ts';
export { createSharedCalls, type SharedCalls, type SharedCallsOptions } from './concurrency/shared-calls.ts';
export { createTokenBucket, type TokenBucket, type TokenBucketOptions } from './concurrency/token-bucket.ts';
export { createDeps, type Deps, type DepsWith } from './deps.ts';
export {
  type ErrorKind,
  findCause,
  InvalidConfigurationError,
  kindOf,
  messageOf,
  ProviderError,
  type ProviderErrorOptions,
  ThrottledError,
  WaitingError,
  type WaitingOptions,
  type WatchedObject,
  wrap,
} from './errors/errors.ts';
export { memoryOf } from './json/json-memory.ts';
export { type JsonLimits, parseBoundedJson } from './json/json-text.ts';
export { cloneJson, isObject, jsonEqual, ownMember, textAt, valueAt } from './json/json-value.ts';
export { jitter, type Random, systemRandom } from './random.ts';
export { type BuildInfo, buildInfo, buildInfoMetric, reportBuildInfo } from './telemetry/build-info.ts';
export {
  type Counter,
  type Gauge,
  type Histogram,
  type Labels,
  type LazyLogFields,
  type LogFields,
  type Logger,
  type MetricOptions,
  type Metrics,
  nopLogger,
  nopMetrics,
  nopTracer,
  type Span,
  type SpanAttributes,
  type SpanOptions,
  type Tracer,
} from './telemetry/telemetry.ts';
export { compoundKey } from './text/compound-key.ts';
export type { Fingerprints } from './text/fingerprints.ts';
export type { NamedValue } from './text/ordinary-words.ts';
export { createScrubber, type KeptMask, mask, redact } from './text/redact.ts';
export { cutText } from './text/text.ts';
export { type Backoff, type BackoffOptions, createBackoff, type FailureCounts } from './time/backoff.ts';
export { type Clock, type Deadline, sleep, systemClock, withDeadline } from './time/clock.ts';
export { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time/formats.ts';
