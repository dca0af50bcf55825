import pg from 'pg';
import { type Deps, messageOf, sleep } from '../../../../../framework/base/index.ts';

import type { Database, Notification } from '../database.ts';
import { TOPICS, type Topic } from '../topics.ts';
import { destroyConnection } from './guarded-client.ts';
import { assertPrimary, CLOSE_TIMEOUT_MS } from './server-pool.ts';

interface ListenerOptions extends Pick<Deps, 'clock' | 'log'> {
  /** The servers of the database. */
  readonly clients: readonly pg.ClientConfig[];
}

interface Listener {
  readonly listen: Database['listen'];
  close(): Promise<void>;
}

/** Delay before the next connection, in ms. */
const RECONNECT_MS = 1000;
/** Interval at which the connection is checked, in ms: a broken path may end without a sign. */
const CHECK_MS = 30_000;

/** One connection that listens to all topics, while there are subscribers. */
export function createListener({ clients, clock, log }: ListenerOptions): Listener {
  const receivers = new Set<(notification: Notification) => void>();
  const closing = new AbortController();
  let running: Promise<void> | undefined;

  const tell = (notification: Notification) => {
    for (const receive of receivers) receive(notification);
  };

  /** Listens on a server until the connection ends. */
  const session = async (config: pg.ClientConfig) => {
    const client = new pg.Client({ ...config, query_timeout: CHECK_MS });
    const ended = Promise.withResolvers<void>();
    client.on('error', (error) => {
      log.info('the listening connection failed', { error: messageOf(error) });
      ended.resolve();
    });
    client.on('end', () => ended.resolve());
    client.on('notification', ({ channel, payload = '' }) => tell({ topic: topicOf(channel), payload }));
    const stop = () => ended.resolve();
    closing.signal.addEventListener('abort', stop, { once: true });
    let cancelCheck = () => {};
    try {
      await client.connect();
      if (clients.length > 1) await assertPrimary(client);
      await client.query(TOPICS.map((topic) => `listen ${topic}`).join('; '));
      tell({ topic: undefined, payload: '' });
      const check = () => {
        client.query('select 1').catch(stop);
        cancelCheck = clock.after(CHECK_MS, check);
      };
      cancelCheck = clock.after(CHECK_MS, check);
      await ended.promise;
    } finally {
      cancelCheck();
      closing.signal.removeEventListener('abort', stop);
      const cancelEnd = clock.after(CLOSE_TIMEOUT_MS, () => destroyConnection(client));
      await client.end().catch(() => undefined);
      cancelEnd();
    }
  };

  const run = async () => {
    while (!closing.signal.aborted) {
      for (const config of clients) {
        if (closing.signal.aborted) return;
        await session(config).catch((error: unknown) =>
          log.info('cannot listen to the database', { error: messageOf(error) }),
        );
      }
      await sleep(clock, RECONNECT_MS, closing.signal).catch(() => undefined);
    }
  };

  return {
    listen: (onNotification) => {
      const receive = (notification: Notification) => onNotification(notification);
      receivers.add(receive);
      running ??= run();
      return () => receivers.delete(receive);
    },
    close: async () => {
      closing.abort();
      await running;
    },
  };
}

const topicOf = (channel: string): Topic | undefined => TOPICS.find((topic) => topic === channel);
