import { subscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** Where a process ends itself with SIGKILL. */
export interface KillPoint {
  readonly event: keyof Counted;
  /** Counted from 1. */
  readonly number: number;
}

/** What a process has done so far: statements and HTTP requests, when they were sent and when their answer came. */
export interface Counted {
  statementsSent: number;
  statementsAnswered: number;
  requestsSent: number;
  requestsAnswered: number;
}

/** Counts from now on, and ends the process at the point. */
export function countEvents(point: KillPoint | undefined): Counted {
  const counted: Counted = {
    statementsSent: 0,
    statementsAnswered: 0,
    requestsSent: 0,
    requestsAnswered: 0,
  };
  const count = (event: keyof Counted) => {
    counted[event]++;
    if (point?.event === event && point.number === counted[event]) process.kill(process.pid, 'SIGKILL');
  };
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function counting(this: pg.Client, ...args: unknown[]) {
    const result: unknown = Reflect.apply(query, this, args);
    // The statement is on its way then.
    setImmediate(() => count('statementsSent'));
    if (result instanceof Promise) result.then(() => count('statementsAnswered')).catch(() => undefined);
    return result;
  } as typeof query;
  subscribe('undici:client:sendHeaders', () => setImmediate(() => count('requestsSent')));
  subscribe('undici:request:headers', () => count('requestsAnswered'));
  return counted;
}
