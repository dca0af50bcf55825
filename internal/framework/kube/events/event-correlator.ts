/**
 * Limits the events of a controller as client-go's EventCorrelator (tools/record) does:
 *
 * - an event that is recorded again raises the count of the first one
 * - from the tenth on, events with the same object, type and reason but different messages, no more than ten minutes
 *   apart, become one event whose message begins with `(combined from similar events): `
 * - a source may record 25 events about one object at once, then one every five minutes
 */

import { createLruCache, textBytes } from '../../base/collections/lru-cache.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type CoreEvent, MAX_MESSAGE_BYTES, truncate } from '../object/core-event.ts';

/** The event to write: a new one, or the next occurrence of an existing one. */
export interface CorrelatedEvent {
  readonly event: CoreEvent;
  readonly isRepeat: boolean;
}

export interface EventCorrelator {
  /** @returns undefined if the event must not be written */
  correlate(event: CoreEvent): CorrelatedEvent | undefined;
}

const MAX_SIMILAR = 10;
const SIMILAR_MS = 10 * 60_000;
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 5 * 60_000;
/** For each of the three caches: thousands of objects with messages of the usual length. */
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
    // After the change of the message, since its bytes count.
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

/** Source and object, then further parts of the key. */
function keyOf(
  { source, involvedObject: { kind, namespace, name, uid, apiVersion } }: CoreEvent,
  ...more: string[]
) {
  return JSON.stringify([source.component, kind, namespace, name, uid, apiVersion, ...more]);
}
