/**
 * Keeps a controller that repeats itself from flooding the API server with events, as client-go's recorder does:
 *
 * - the same event again raises the count of the first instead of making another;
 * - from the tenth on, events of one type and reason about one object that differ in their message, no more than ten
 *   minutes apart, become one whose message begins with `(combined from similar events): `;
 * - one source may say 25 things about one object at once, then one every five minutes.
 *
 * Rule: managed-framework §7.4.
 */

import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type CoreEvent, MAX_MESSAGE_BYTES, truncate } from '../object/core-event.ts';

/** What is to be written: a new event, or the next occurrence of one that was written before. */
export interface CorrelatedEvent {
  readonly event: CoreEvent;
  readonly isRepeat: boolean;
}

export interface EventCorrelator {
  /** @returns undefined if the event is not to be written at all */
  correlate(event: CoreEvent): CorrelatedEvent | undefined;
}

const MAX_SIMILAR = 10;
const SIMILAR_MS = 10 * 60_000;
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 5 * 60_000;
/** Of each of the three caches: some thousand objects, with messages of the usual length. */
const MAX_BYTES = 8 * 1024 * 1024;

export function createEventCorrelator(clock: Clock): EventCorrelator {
  const similar = createLruCache<string, { readonly messages: Set<string>; at: number }>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ messages }) => textBytes(...messages),
  });
  const written = createLruCache<string, Pick<CoreEvent, 'metadata' | 'firstTimestamp' | 'count'>>({
    maxBytes: MAX_BYTES,
    bytesOf: ({ metadata }) => textBytes(metadata.name, metadata.namespace),
  });
  const budgets = createLruCache<string, { tokens: number; at: number }>({ maxBytes: MAX_BYTES });

  const aggregate = (event: CoreEvent): { readonly event: CoreEvent; readonly key: string } => {
    const group = keyOf(event, event.type, event.reason, event.reportingComponent);
    const now = clock.now();
    const last = similar.get(group);
    const record = last && now - last.at <= SIMILAR_MS ? last : { messages: new Set<string>(), at: now };
    record.at = now;
    const isOneOfFew = record.messages.size < MAX_SIMILAR - 1 || record.messages.has(event.message);
    if (isOneOfFew) record.messages.add(event.message);
    // After the message, whose bytes count.
    similar.set(group, record);
    if (isOneOfFew) {
      return { event, key: keyOf(event, event.type, event.reason, event.message) };
    }
    const message = truncate(`(combined from similar events): ${event.message}`, MAX_MESSAGE_BYTES);
    return { event: { ...event, message }, key: group };
  };

  const count = (event: CoreEvent, key: string): CorrelatedEvent => {
    const first = written.get(key);
    const counted: CoreEvent = first
      ? { ...event, metadata: first.metadata, firstTimestamp: first.firstTimestamp, count: first.count + 1 }
      : event;
    const { metadata, firstTimestamp } = counted;
    written.set(key, { metadata, firstTimestamp, count: counted.count });
    return { event: counted, isRepeat: first !== undefined };
  };

  const isSpam = (event: CoreEvent): boolean => {
    const key = keyOf(event);
    const now = clock.monotonic();
    const last = budgets.get(key) ?? { tokens: SPAM_BURST, at: now };
    const tokens = Math.min(SPAM_BURST, last.tokens + (now - last.at) / SPAM_REFILL_MS);
    budgets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at: now });
    return tokens < 1;
  };

  return {
    correlate: (event) => {
      const aggregated = aggregate(event);
      const correlated = count(aggregated.event, aggregated.key);
      return isSpam(event) ? undefined : correlated;
    },
  };
}

/** Source and object, then whatever else tells events apart. */
function keyOf(
  { source, involvedObject: { kind, namespace, name, uid, apiVersion } }: CoreEvent,
  ...more: string[]
) {
  return JSON.stringify([source.component, kind, namespace, name, uid, apiVersion, ...more]);
}
