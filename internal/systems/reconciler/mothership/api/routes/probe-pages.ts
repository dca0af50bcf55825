import { type Clock, messageOf, ProviderError, withDeadline } from '../../../../../framework/base/index.ts';
import type { MetricsPage } from '../../../../../framework/process/index.ts';

import type { Page } from '../../../../../framework/process/server/pages.ts';
import type { Database } from '../../database/database.ts';

export interface ProbePagesOptions {
  readonly database: Pick<Database, 'ping'>;
  readonly metrics: MetricsPage;
  readonly clock: Clock;
  readonly isStopping: () => boolean;
  /** What else keeps the process from its work. Default: nothing. */
  readonly problem?: () => string | undefined;
}

/** Time in which the database must answer, in ms. */
const PING_TIMEOUT_MS = 3000;

/** Probes and metrics, which need no login. */
export function probePages({ database, metrics, clock, isStopping, problem }: ProbePagesOptions) {
  let pinging: Promise<void> | undefined;
  const ping = async () => {
    // One at a time: probes of a database that hangs must not take its connections.
    pinging ??= database.ping().finally(() => {
      pinging = undefined;
    });
    using deadline = withDeadline(clock, PING_TIMEOUT_MS, 'ping of the database');
    await Promise.race([pinging, rejection(deadline.signal)]);
  };
  return {
    '/health/live': async () => json(200, { status: 'live' }),
    '/health/ready': async () => {
      try {
        if (isStopping()) throw new ProviderError('transient', 'the mothership is stopping');
        await ping();
        const other = problem?.();
        if (other !== undefined) throw new ProviderError('transient', other);
        return json(200, { status: 'ready' });
      } catch (error) {
        return json(503, { error: `not ready: ${messageOf(error)}` });
      }
    },
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.text(),
    }),
  } satisfies Readonly<Record<string, () => Promise<Page>>>;
}

const json = (status: number, body: object): Page => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
