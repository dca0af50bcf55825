import type { ByteBudget } from '../../base/collections/byte-budget.ts';
import { type TokenBucket, takeWhenAvailable } from '../../base/concurrency/token-bucket.ts';
import { ProviderError } from '../../base/errors/errors.ts';
import { JsonLimitError } from '../../base/json/json-text.ts';
import { valueAt } from '../../base/json/json-value.ts';
import type { Clock } from '../../base/time/clock.ts';
import { describeNetworkFailure } from '../../http/transport/network-failure.ts';
import {
  type Attempt,
  KubeApiError,
  ResponseTooLargeError,
  readApiStatus,
  sentence,
  UnreachableError,
} from '../errors/errors.ts';
import { hasObjectMeta, type KubeObject } from '../object/object.ts';
import { type ResourceType, typeSetter } from '../object/resource-type.ts';
import type { WatchEvent, WatchOptions } from './client.ts';
import { readLines } from './json-lines.ts';
import type { RequestSender } from './request-sender.ts';
import { collectionName, collectionPath, pathFor, queryString } from './resource-path.ts';

export interface WatchStreamOptions {
  readonly sender: RequestSender;
  readonly maxLineBytes: number;
  readonly parseJson: ParseJson;
  /** Of lines that have not ended; default: no limit but `maxLineBytes`. */
  readonly memory?: ByteBudget | undefined;
  /** In bytes, all of them. Empty: no limit. */
  readonly rates: readonly TokenBucket[];
  readonly clock: Clock;
}

/**
 * What a request counts as in the rates, in bytes, besides what it receives: with its handshake it costs more CPU than as many bytes of
 * events. A server can end each watch at once, or refuse it, so that its objects are polled.
 */
export const REQUEST_BYTES = 16 * 1024;

/** Waits until the rates allow a request. */
export async function takeRequest(
  { rates, clock }: Pick<WatchStreamOptions, 'rates' | 'clock'>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const rate of rates) await takeWhenAvailable(rate, { clock, tokens: REQUEST_BYTES, signal });
}

/** JSON.parse, or the same with limits. */
export type ParseJson = (text: string) => unknown;

/**
 * The events of one watch request with bookmarks, until the server ends it. Throws KubeApiError for a refusal or an ERROR
 * line, ResponseTooLargeError for a line that exceeds a limit, a `transient` error for a lost connection or an invalid
 * line, and the signal's reason. Returning early closes the connection.
 */
export async function* watchObjects<T extends KubeObject>(
  { sender, maxLineBytes, parseJson, memory, rates, clock }: WatchStreamOptions,
  type: ResourceType,
  options: WatchOptions & { readonly accept: string },
): AsyncGenerator<WatchEvent<T>> {
  const { signal, accept } = options;
  const call = { verb: 'watch', object: collectionName(type, options.namespace) };
  const attempt = sender.attempt(call);
  const cut = new AbortController();
  const onAbort = () => cut.abort(signal?.reason);
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  const query = queryString({
    watch: true,
    allowWatchBookmarks: true,
    resourceVersion: options.resourceVersion,
    timeoutSeconds: options.timeoutSeconds,
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
  });
  try {
    const path = pathFor(attempt, () => collectionPath(type, options.namespace)) + query;
    await takeRequest({ rates, clock }, cut.signal);
    const response = await sender.open({ ...call, method: 'GET', path, accept, signal: cut.signal });
    options.onOpen?.();
    const scrub = await sender.scrubber();
    const typed = typeSetter(type);
    const chunks = rates.length === 0 ? response.body : paced(response.body, rates, clock, cut.signal);
    for await (const line of readLines(chunks, maxLineBytes, memory))
      yield parseEvent<T>(parseLine(line, parseJson), { typed, attempt, scrub });
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ProviderError) throw error;
    throw new UnreachableError(attempt, `the connection was lost: ${describeNetworkFailure(error).text}`);
  } finally {
    signal?.removeEventListener('abort', onAbort);
    cut.abort();
  }
}

/** Reads further only when the rates allow it: what was not read fills the buffers of the connection, and the server waits. */
async function* paced(
  chunks: AsyncIterable<Uint8Array>,
  rates: readonly TokenBucket[],
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (const rate of rates) await takeWhenAvailable(rate, { clock, tokens: chunk.length, signal });
    yield chunk;
  }
}

function parseEvent<T extends KubeObject>(
  event: unknown,
  {
    typed,
    attempt,
    scrub,
  }: {
    readonly typed: (object: T) => T;
    readonly attempt: Attempt;
    readonly scrub: (text: string) => string;
  },
): WatchEvent<T> {
  const object = valueAt(event, ['object']);
  const eventType = valueAt(event, ['type']);
  switch (eventType) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
    case 'BOOKMARK':
      if (typeof valueAt(object, ['metadata', 'resourceVersion']) !== 'string') break;
      if (!hasObjectMeta(object, eventType !== 'BOOKMARK')) break;
      return { type: eventType, object: typed(object as T) };
    case 'ERROR': {
      const status = readApiStatus(object, scrub);
      throw new KubeApiError(attempt, { httpStatus: status?.code ?? 500, status });
    }
  }
  throw new ProviderError('transient', `${sentence(attempt)}: the server sent a line that is no watch event`);
}

function parseLine(line: string, parseJson: ParseJson): unknown {
  try {
    return parseJson(line);
  } catch (error) {
    if (error instanceof JsonLimitError)
      throw new ResponseTooLargeError(`an event is a JSON text ${error.message}`);
    // The parser's message would quote the line.
    return undefined;
  }
}
