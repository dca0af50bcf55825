import { type Deps, messageOf, sleep } from '../../../../framework/base/index.ts';
import { ApiError } from './api-request.ts';

export interface ChangeFeedOptions extends Pick<Deps, 'clock' | 'log'> {
  /** A text that differs after each change. Read only while there is a client. */
  readonly state: () => Promise<string>;
  /** Aborted when the server stops: all streams end. */
  readonly signal: AbortSignal;
}

export interface ChangeFeed {
  /**
   * Server-sent events for a client: `change` at the beginning and after each change, `alive` while there is none.
   *
   * @param client whose streams are limited together: a user, or an address
   * @throws ApiError 429 if there are too many streams
   */
  open(client: string, signal: AbortSignal): ReadableStream<Uint8Array>;
}

/** Interval at which the state is compared, in ms. */
const CHECK_MS = 1000;
/** From a change to its event, in ms: results that are shared by many clients for less than this time are read anew. */
export const EVENT_DELAY_MS = 500;
/** Interval of `alive`, in ms: proxies close connections that are silent for a minute. */
const ALIVE_MS = 15_000;
/** A stream ends after this time, so that the next request is compared with the login, in ms. */
const MAX_AGE_MS = 600_000;
/** After an error of the database, in ms. */
const RETRY_MS = 5000;
export const MAX_STREAMS = 512;
/** Of one client: so many tabs of browsers, of all users behind a proxy that gives no names. */
export const MAX_STREAMS_OF_CLIENT = 64;
/** Events that a client has not read; more end its stream. */
const MAX_UNREAD = 16;

interface Stream {
  readonly client: string;
  /** Whether it has got its first `change`. */
  isCurrent: boolean;
  send(event: string): void;
}

/** Says that something has changed; what it is, clients read by the API. All clients of a process share one query. */
export function createChangeFeed({ state, clock, log, signal: stopping }: ChangeFeedOptions): ChangeFeed {
  const streams = new Set<Stream>();
  const encoder = new TextEncoder();
  let isRunning = false;

  const run = async () => {
    let last: string | undefined;
    let aliveAt = clock.monotonic();
    while (streams.size > 0 && !stopping.aborted) {
      let delay = CHECK_MS;
      try {
        // Clients that come later have not read what is older.
        const added = [...streams].filter(({ isCurrent }) => !isCurrent);
        const current = await state();
        const isChanged = last !== undefined && current !== last;
        last = current;
        const receivers = isChanged ? [...streams] : added;
        if (receivers.length > 0) {
          await sleep(clock, EVENT_DELAY_MS, stopping);
          for (const stream of receivers) {
            stream.isCurrent = true;
            stream.send('change');
          }
          delay -= EVENT_DELAY_MS;
        }
      } catch (error) {
        if (stopping.aborted) return;
        log.info('cannot see whether clusters have changed', { error: messageOf(error) });
        delay = RETRY_MS;
      }
      if (clock.monotonic() - aliveAt >= ALIVE_MS) {
        aliveAt = clock.monotonic();
        for (const stream of [...streams]) stream.send('alive');
      }
      await sleep(clock, delay, stopping).catch(() => undefined);
    }
  };
  const start = () => {
    if (isRunning) return;
    isRunning = true;
    void run().finally(() => {
      isRunning = false;
      // One that was opened while the last query ran.
      if (streams.size > 0 && !stopping.aborted) start();
    });
  };

  return {
    open: (client, signal) => {
      const own = [...streams].filter((stream) => stream.client === client).length;
      if (own >= MAX_STREAMS_OF_CLIENT || streams.size >= MAX_STREAMS) {
        throw new ApiError(
          429,
          `at most ${MAX_STREAMS_OF_CLIENT} pages of a client are live, and ${MAX_STREAMS} of all`,
        );
      }
      let end = () => {};
      return new ReadableStream<Uint8Array>(
        {
          start: (controller) => {
            const stream: Stream = {
              client,
              isCurrent: false,
              send: (event) => {
                // It ended after the receivers of this event were chosen.
                if (!streams.has(stream)) return;
                if ((controller.desiredSize ?? 0) <= 0) close();
                else controller.enqueue(encoder.encode(`event: ${event}\ndata:\n\n`));
              },
            };
            const close = () => {
              end();
              controller.close();
            };
            const cancelAge = clock.after(MAX_AGE_MS, close);
            const signals = [signal, stopping];
            end = () => {
              streams.delete(stream);
              cancelAge();
              for (const each of signals) each.removeEventListener('abort', close);
            };
            streams.add(stream);
            for (const each of signals) each.addEventListener('abort', close, { once: true });
            controller.enqueue(encoder.encode('retry: 2000\n\n'));
            start();
            if (stopping.aborted) close();
          },
          cancel: () => end(),
        },
        { highWaterMark: MAX_UNREAD },
      );
    },
  };
}
