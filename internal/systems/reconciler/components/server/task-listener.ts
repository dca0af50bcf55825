/** The API of a component reconciler: tasks at `/v1/run`, probes and metrics. */
import type { ServerResponse } from 'node:http';
import { type Logger, messageOf } from '../../../../framework/base/index.ts';
import type { CompleteRequest, MetricsPage, RequestListener } from '../../../../framework/process/index.ts';

import type { Page } from '../../../../framework/process/server/page.ts';
import { pagesListener } from '../../../../framework/process/server/pages.ts';
import type { RunnerSettings } from '../model/settings.ts';
import type { RefusedOffer, TaskPool } from '../pool/task-pool.ts';
import type { Access } from './access.ts';
import { MAX_TASK_BYTES, RefusedTaskError, readTask } from './read-task.ts';

export interface TaskListenerOptions {
  readonly pool: Pick<TaskPool, 'offer' | 'isOpen'>;
  readonly access: Access;
  readonly settings: Pick<RunnerSettings, 'maxRetries'>;
  readonly metrics: MetricsPage;
  readonly log: Logger;
}

/** The version in the path is not checked. */
const RUN = /^\/v\d+\/run\/?$/;

export function createTaskListener(options: TaskListenerOptions): RequestListener {
  const { pool, metrics } = options;
  const pages = pagesListener({
    '/health/live': () => json(200, { status: 'live' }),
    '/health/ready': () =>
      pool.isOpen()
        ? json(200, { status: 'ready' })
        : json(503, { error: 'not ready: no tasks are accepted' }),
    '/metrics': async () => ({
      status: 200,
      contentType: metrics.contentType,
      body: await metrics.text(),
    }),
  });
  return async (request, response) => {
    const [path = '/'] = (request.url ?? '/').split(/[?#]/, 1);
    if (RUN.test(path)) send(response, await answer(request, options));
    else await pages(request, response);
  };
}

/** Which limit refuses a task, for the mothership's list of operations. */
const LIMITS: Readonly<Record<RefusedOffer['limit'], (tasks: number) => string>> = {
  workers: (tasks) => `all ${tasks} workers are busy (--worker-count)`,
  cluster: (tasks) => `${tasks} workers are busy with this cluster, which may have no more of them`,
  tenant: (tasks) => `${tasks} workers are busy with clusters of this tenant, which may have no more of them`,
  waiting: (tasks) => `${tasks} tasks are in progress or wait for their next attempt: no more are accepted`,
};

async function answer(
  request: CompleteRequest,
  { pool, access, settings, log }: TaskListenerOptions,
): Promise<Page> {
  if (request.method !== 'POST' && request.method !== 'PUT') {
    return json(405, { error: 'the method is not allowed here' });
  }
  if (!(await access(request))) {
    return json(401, { error: 'a client certificate or a bearer token is needed' });
  }
  try {
    const task = readTask(request.rawBody.toString('utf8'), settings);
    const offer = pool.offer(task);
    const fields = { 'correlation-id': task.correlationID, 'component-name': task.component };
    const shown = typeof offer === 'string' ? { offer } : { offer: 'refused', ...offer };
    log.info('task', { ...fields, type: task.type, ...shown });
    switch (offer) {
      case 'accepted':
        return json(200, {});
      case 'closed':
        return json(500, { error: 'cannot begin the task: the component reconciler is stopping' });
      default:
        return json(429, { error: LIMITS[offer.limit](offer.tasks) });
    }
  } catch (error) {
    if (!(error instanceof RefusedTaskError)) throw error;
    log.info('task refused', { status: error.status, error: messageOf(error) });
    return json(error.status, { error: messageOf(error) });
  }
}

/** For requests whose body was not read: too large, or no memory for it. */
export function refusedRequestPage(status: number): Page {
  const problem = status === 413 ? `the body has more than ${MAX_TASK_BYTES} bytes` : 'the request failed';
  return json(status === 413 ? 500 : status, { error: problem });
}

const json = (status: number, body: object): Page => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

function send(response: ServerResponse, { status, contentType, body }: Page): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}
