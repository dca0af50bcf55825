/**
 * Writes events in the background. Recording an event neither blocks nor fails, so that a controller works without events.
 */

import { abandonable } from '../../base/concurrency/abandonable.ts';
import { createDeps, type Deps, type DepsWith } from '../../base/deps.ts';
import { findCause, kindOf, messageOf } from '../../base/errors/errors.ts';
import { jitter } from '../../base/random.ts';
import { redact } from '../../base/text/redact.ts';
import { type Clock, sleep } from '../../base/time/clock.ts';
import { formatTimestamp } from '../../base/time/formats.ts';
import { type KubeClient, MANAGEMENT_CLUSTER } from '../client/client.ts';
import { isAlreadyExists, isNotFound, KubeApiError } from '../errors/errors.ts';
import { type CoreEvent, coreEvent, type EventType } from '../object/core-event.ts';
import { type KubeObject, keyOf } from '../object/object.ts';
import { events } from '../object/resource-type.ts';
import { type CorrelatedEvent, createEventCorrelator } from './event-correlator.ts';

export interface EventBroadcaster {
  /** @param component the name of the controller, which becomes the `source` of its events */
  recorderFor(component: string): EventRecorder;
  /** Accepts no more events. Resolves when the waiting ones are written or `signal` is aborted. */
  close(signal?: AbortSignal): Promise<void>;
}

export interface EventBroadcasterOptions extends DepsWith<'clock'> {
  readonly client: KubeClient;
  /** Label `cluster` of metrics; default: the management cluster's. */
  readonly cluster?: string;
  /** Masks credentials in messages; default `redact`. */
  readonly scrub?: (text: string) => string;
  /** Maximum of waiting events; further ones are dropped and counted. Default 1000. */
  readonly queueSize?: number;
}

/** As in client-go: enough for two minutes without the API server. Then the event is dropped. */
const MAX_TRIES = 12;
/** Events written at a time. Those of one object are written in their order. */
const MAX_IN_FLIGHT = 4;
const RETRY_MS = 10_000;

export function createEventBroadcaster(options: EventBroadcasterOptions): EventBroadcaster {
  const { scrub = redact, queueSize = 1000, cluster = MANAGEMENT_CLUSTER } = options;
  const deps = createDeps(options);
  const { clock, log, metrics } = deps;
  const correlator = createEventCorrelator(clock);
  const dropped = metrics.counter({
    name: 'events_dropped_total',
    help: 'Events that were not written: the queue was full or the API server refused them.',
    labels: ['cluster', 'why'],
  });
  // Reported as 0 from the start, so that `rate()` sees the first increase.
  for (const why of ['refused', 'queue full']) dropped.inc({ cluster, why }, 0);
  const queue: CorrelatedEvent[] = [];
  /** Aborted by `close`: ends the waits for retries. */
  const closing = new AbortController();
  const stop = new AbortController();
  const nanos = nanoClock(clock);
  let lastProblem = '';
  const writers = new Set<Promise<void>>();
  /** Objects with an event that is being written. */
  const busy = new Set<string>();

  const take = (): CorrelatedEvent | undefined => {
    if (stop.signal.aborted) return undefined;
    const index = queue.findIndex(({ event }) => !busy.has(objectOf(event)));
    return index < 0 ? undefined : queue.splice(index, 1)[0];
  };
  const writeFrom = async (first: CorrelatedEvent) => {
    for (let next: CorrelatedEvent | undefined = first; next; next = take()) {
      const object = objectOf(next.event);
      busy.add(object);
      try {
        await writeOne({ ...deps, client: options.client }, next, closing.signal, stop.signal);
      } catch (error) {
        dropped.inc({ cluster, why: 'refused' });
        const problem = messageOf(error);
        log[problem === lastProblem ? 'debug' : 'info']('an event was not written', { error: problem });
        lastProblem = problem;
      }
      busy.delete(object);
    }
  };
  /** Starts one more loop that writes waiting events. */
  const addWriter = () => {
    const first = busy.size < MAX_IN_FLIGHT ? take() : undefined;
    if (first === undefined) return;
    const writer = writeFrom(first).finally(() => writers.delete(writer));
    writers.add(writer);
  };

  const record = (component: string): EventRecorder['record'] => {
    return (object, type, reason, message, annotations = {}) => {
      if (closing.signal.aborted) return;
      try {
        const text = scrub(message);
        const timestamp = formatTimestamp(clock.now());
        const event = coreEvent({
          object,
          type,
          reason,
          message: text,
          annotations,
          component,
          timestamp,
          nanos: nanos(),
        });
        const correlated = correlator.correlate(event);
        if (!correlated) return;
        if (queue.length >= queueSize) {
          dropped.inc({ cluster, why: 'queue full' });
          const at = leastMissed(queue, namespaceOf(correlated));
          if (at === undefined) return;
          queue.splice(at, 1);
        }
        queue.push(correlated);
        addWriter();
      } catch (error) {
        log.error('an event could not be recorded', { reason, error: messageOf(error) });
      }
    };
  };

  return {
    recorderFor: (component) => ({ record: record(component) }),
    close: async (signal) => {
      closing.abort();
      if (signal?.aborted) stop.abort();
      signal?.addEventListener('abort', () => stop.abort(), { once: true });
      await abandonable(Promise.all(writers), stop.signal).catch(() => undefined);
      stop.abort();
    },
  };
}

const namespaceOf = ({ event }: CorrelatedEvent): string => event.involvedObject.namespace ?? '';

/**
 * Which waiting event gives way to one of the namespace: the last one of the namespace that has most, so that very many of one tenant drop
 * none of others. Undefined: none does.
 */
function leastMissed(queue: readonly CorrelatedEvent[], namespace: string): number | undefined {
  const counts = new Map<string, number>();
  let most = '';
  for (const waiting of queue) {
    const name = namespaceOf(waiting);
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    if (count > (counts.get(most) ?? 0)) most = name;
  }
  if ((counts.get(namespace) ?? 0) + 1 >= (counts.get(most) ?? 0)) return undefined;
  return queue.findLastIndex((waiting) => namespaceOf(waiting) === most);
}

const objectOf = ({ involvedObject: { kind, namespace = '', name } }: CoreEvent): string =>
  `${kind} ${namespace}/${name}`;

/** Retries if there was no response. An error response is final. */
async function writeOne(
  { client, clock, random }: { readonly client: KubeClient } & Pick<Deps, 'clock' | 'random'>,
  correlated: CorrelatedEvent,
  closing: AbortSignal,
  signal: AbortSignal,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      return await send(client, correlated, signal);
    } catch (error) {
      if (!mayPass(error) || tries >= MAX_TRIES || closing.aborted || signal.aborted) throw error;
      await sleep(clock, jitter(RETRY_MS, 0.2, random), closing).catch(() => undefined);
    }
  }
}

function mayPass(error: unknown): boolean {
  const refusal = findCause(error, KubeApiError);
  if (refusal) return refusal.status >= 500 || refusal.kind === 'throttled';
  return kindOf(error) === 'transient';
}

async function send(
  client: KubeClient,
  { event, isRepeat }: CorrelatedEvent,
  signal: AbortSignal,
): Promise<void> {
  const { count, lastTimestamp, message } = event;
  if (isRepeat) {
    try {
      await client.mergePatch(events, keyOf(event), { count, lastTimestamp, message }, { signal });
      return;
    } catch (error) {
      // The event expired, or was never written.
      if (!isNotFound(error)) throw error;
    }
  }
  try {
    await client.create(events, event, { signal });
  } catch (error) {
    // An earlier attempt succeeded, but its response was lost.
    if (!isAlreadyExists(error)) throw error;
  }
}

/** Unique nanoseconds since the epoch, from a clock with milliseconds. */
function nanoClock(clock: Clock): () => bigint {
  let last = 0n;
  return () => {
    const now = BigInt(Math.floor(clock.now())) * 1_000_000n;
    last = now > last ? now : last + 1n;
    return last;
  };
}

/** Records core/v1 Events about an object. Neither throws nor blocks. */
export interface EventRecorder {
  /** @param annotations metadata of the Event itself, e.g. the external name */
  record(
    object: KubeObject,
    type: EventType,
    reason: string,
    message: string,
    annotations?: Readonly<Record<string, string>>,
  ): void;
}
