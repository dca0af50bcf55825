import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import type { Task } from '../../../internal/systems/reconciler/mothership/model/mothership.ts';
import type { CallbackStatus } from '../../../internal/systems/reconciler/mothership/model/reconciliation.ts';

/** What a component reconciler does with a task. */
export interface Behaviour {
  /** Status of the answer; `none`: it never answers; `reset`: it closes the connection. Default 200. */
  readonly answer?: number | 'none' | 'reset';
  /** Body of the answer; default `{}`, or an error. */
  readonly body?: string;
  /** Callbacks, in their order; default running, success. With a status other than 2xx: none. */
  readonly callbacks?: readonly { readonly status: CallbackStatus; readonly error?: string }[];
  /** Delay before the last callback, in ms. */
  readonly workMs?: number;
}

export interface ReceivedTask {
  readonly task: Task;
  readonly at: number;
}

/** A component reconciler for tests, that reports to the callback URL of each task. */
export interface ComponentReconciler {
  readonly url: string;
  readonly received: readonly ReceivedTask[];
  /** Responses to callbacks, in their order. */
  readonly callbackStatuses: readonly number[];
  /** Sends one callback of a task. Returns the status of the response. */
  report(task: Task, status: CallbackStatus, fields?: Readonly<Record<string, unknown>>): Promise<number>;
  close(): Promise<void>;
}

/** Delay before a report that was not delivered is repeated, in ms. */
const REPEAT_MS = 200;

/** @param behave decides by the task, and by how often its operation came before */
export async function startComponentReconciler(
  behave: (task: Task, earlier: number) => Behaviour = () => ({}),
): Promise<ComponentReconciler> {
  const received: ReceivedTask[] = [];
  const callbackStatuses: number[] = [];
  const closing = new AbortController();

  const report: ComponentReconciler['report'] = async (task, status, fields = {}) => {
    const response = await fetch(task.callbackURL, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ status, error: '', retryID: randomUUID(), processingDuration: 1, ...fields }),
      signal: closing.signal,
    });
    await response.text();
    callbackStatuses.push(response.status);
    return response.status;
  };

  /** Repeats a report until the mothership has an opinion about it, as component reconcilers do. */
  const deliver = async (task: Task, status: CallbackStatus, fields: Readonly<Record<string, unknown>>) => {
    while (!closing.signal.aborted) {
      const response = await report(task, status, fields).catch(() => 503);
      if (response < 500) return;
      await new Promise((done) => setTimeout(done, REPEAT_MS));
    }
  };

  const work = async (task: Task, { callbacks, workMs = 0 }: Behaviour) => {
    const retryID = randomUUID();
    const messages = callbacks ?? [{ status: 'running' as const }, { status: 'success' as const }];
    for (const [index, { status, error = '' }] of messages.entries()) {
      if (index === messages.length - 1 && workMs > 0) await new Promise((done) => setTimeout(done, workMs));
      await deliver(task, status, { error, retryID });
    }
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const task = (await json(request)) as Task;
    const earlier = received.filter(
      ({ task: { correlationID } }) => correlationID === task.correlationID,
    ).length;
    received.push({ task, at: performance.now() });
    const behaviour = behave(task, earlier);
    const { answer = 200 } = behaviour;
    if (answer === 'reset') {
      request.socket.destroy();
      return;
    }
    if (answer !== 'none') {
      const isAccepted = answer >= 200 && answer < 300;
      response.writeHead(answer, { 'content-type': 'application/json' });
      response.end(behaviour.body ?? (isAccepted ? '{}' : '{"error":"no workers"}'));
      if (!isAccepted && behaviour.callbacks === undefined) return;
    }
    if (answer === 'none' && behaviour.callbacks === undefined) return;
    await work(task, behaviour).catch(() => undefined);
  };

  const server = await listenOnLoopback(createServer((request, response) => void serve(request, response)));
  return {
    url: `${server.url}/v1/run`,
    received,
    callbackStatuses,
    report,
    close: () => {
      closing.abort();
      return server.close();
    },
  };
}
