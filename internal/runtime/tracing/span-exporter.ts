/**
 * Sends spans to a receiver of OTLP over HTTP, in batches and one request at a time. Traces never hold anything up and
 * are never worth a failure: what cannot be sent after some attempts is lost, and the log says how much.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { sleep } from '../../base/clock.ts';
import { withDeadline } from '../../base/deadline.ts';
import { messageOf } from '../../base/errors.ts';
import { jitter } from '../../base/random.ts';
import { parseRetryAfter } from '../../http/retry/retry-after.ts';
import { proxyFromEnv } from '../../http/transport/proxy-env.ts';
import { encodeSpans } from './encode-spans.ts';
import type { SpanRecord } from './span-record.ts';
import type { TracesOptions } from './trace-settings.ts';

export interface SpanExporter {
  add(span: SpanRecord): void;
  /** Sends what waits, for some seconds at most, and ends. */
  close(): Promise<void>;
}

/** Attempts to send one batch, and the pause after the first, in ms; it doubles from there. */
const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 1000;
/** No pause is longer, whatever the receiver asks for. */
const MAX_PAUSE_MS = 30_000;
/** How long the end may take, in ms. */
const CLOSE_MS = 5000;
/** Answers that say: later. Rule: OTLP specification, "Retryable Response Codes". */
const LATER = [429, 502, 503, 504];

const compress = promisify(gzip);

export function createSpanExporter(options: TracesOptions): SpanExporter {
  const { settings, clock, random, log, scope, env } = options;
  const { endpoint, timeoutMs, delayMs, maxQueue, maxBatch } = settings;
  const proxy = proxyFromEnv(endpoint, env);
  const dispatcher: Dispatcher = proxy === undefined ? new Agent() : new ProxyAgent(proxy);
  const closing = new AbortController();
  const queue: SpanRecord[] = [];
  let lost = 0;
  let failing = false;
  let cancelTimer: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  let closed = false;

  const attempt = async (body: Uint8Array | string): Promise<Attempt> => {
    using deadline = withDeadline(clock, timeoutMs, 'traces', closing.signal);
    try {
      const response = await request(endpoint, {
        method: 'POST',
        dispatcher,
        signal: deadline.signal,
        headers: {
          ...settings.headers,
          'content-type': 'application/json',
          ...(settings.gzip ? { 'content-encoding': 'gzip' } : {}),
        },
        body,
      });
      await response.body.dump();
      const { statusCode, headers } = response;
      if (statusCode >= 200 && statusCode < 300) return { state: 'taken' };
      const why = `the receiver answered ${statusCode}`;
      if (!LATER.includes(statusCode)) return { state: 'refused', why };
      const afterMs = parseRetryAfter(
        { retryAfter: only(headers['retry-after']), date: only(headers.date) },
        clock.now(),
      );
      return { state: 'later', why, ...(afterMs === undefined ? {} : { afterMs }) };
    } catch (error) {
      return { state: 'later', why: messageOf(deadline.signal.aborted ? deadline.signal.reason : error) };
    }
  };
  const send = async (batch: readonly SpanRecord[]) => {
    const json = encodeSpans(batch, settings.resource, scope);
    const body = settings.gzip ? await compress(json) : json;
    for (let n = 1; ; n++) {
      const outcome = await attempt(body);
      if (outcome.state === 'taken') {
        if (failing) log.info('traces are sent again', { lost });
        failing = false;
        lost = 0;
        return;
      }
      if (!failing) log.info('cannot send traces', { to: endpoint.host, error: outcome.why });
      failing = true;
      if (outcome.state === 'refused' || n === ATTEMPTS || closing.signal.aborted) {
        lost += batch.length;
        return;
      }
      const pauseMs = outcome.afterMs ?? jitter(FIRST_PAUSE_MS * 2 ** (n - 1), 0.2, random);
      await sleep(clock, Math.min(pauseMs, MAX_PAUSE_MS), closing.signal).catch(() => undefined);
    }
  };
  const drain = async () => {
    while (queue.length > 0) await send(queue.splice(0, maxBatch));
  };
  const begin = () => {
    cancelTimer?.();
    cancelTimer = undefined;
    sending ??= drain().finally(() => {
      sending = undefined;
      if (queue.length > 0) schedule();
    });
  };
  const schedule = () => {
    cancelTimer ??= clock.after(delayMs, begin);
  };
  return {
    add: (span) => {
      if (closed || queue.length >= maxQueue) {
        lost += 1;
        return;
      }
      queue.push(span);
      if (queue.length >= maxBatch) begin();
      else schedule();
    },
    close: async () => {
      closed = true;
      const giveUp = clock.after(CLOSE_MS, () => closing.abort(new Error('the provider is stopping')));
      begin();
      await sending;
      giveUp();
      cancelTimer?.();
      if (lost > 0) log.info('some spans were not sent', { lost });
      await dispatcher.destroy();
    },
  };
}

const only = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? undefined : value;

type Attempt =
  | { readonly state: 'taken' }
  | { readonly state: 'refused'; readonly why: string; readonly afterMs?: undefined }
  | { readonly state: 'later'; readonly why: string; readonly afterMs?: number };
