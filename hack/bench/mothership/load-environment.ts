import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { systemRandom } from '../../../internal/framework/base/random.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { findPostgres, NO_POSTGRES } from '../../../test/environment/postgres/postgres-programs.ts';
import { startPostgres } from '../../../test/environment/postgres/postgres-server.ts';
import { createAuthority } from '../../control-planes/access/authority.ts';
import { renderKubeconfig } from '../../control-planes/access/kubeconfig.ts';
import { freePort } from '../../control-planes/process/free-port.ts';
import { launchBundle, type MeasuredProcess } from '../measure/measured-process.ts';
import type { MeasurementContext } from '../measurement.ts';
import { countStatements } from './statement-counter.ts';

/** A mothership under load: Postgres, a cluster that answers, and component reconcilers of the bench. */
export interface LoadEnvironment extends AsyncDisposable {
  readonly process: MeasuredProcess;
  readonly url: string;
  /** Through the proxy that counts. */
  readonly databaseUrl: string;
  readonly keyFile: string;
  readonly components: BenchComponents;
  /** For registrations. */
  readonly kubeconfig: string;
  statements(): number;
}

/** Component reconcilers that take as long as they are told. */
export interface BenchComponents {
  /** Time of one operation, in ms. */
  workMs: number;
  /** Share of tasks and attempts that fail, from 0 to 1. */
  faults: number;
  /** Whether tasks are kept in `held`, and nothing is reported. */
  holds: boolean;
  readonly held: Task[];
  /** Time of the first task of each cluster, in ms of `performance.now()`. */
  readonly firstTasks: Map<string, number>;
  /** How long the answers to callbacks took, in ms. */
  callbackMs: number[];
}

export interface Task {
  readonly callbackURL: string;
  readonly correlationID: string;
}

export async function openLoadEnvironment(
  context: MeasurementContext,
  args: readonly string[],
): Promise<LoadEnvironment> {
  await using stack = new AsyncDisposableStack();
  const programs = await findPostgres();
  if (programs === undefined) throw new Error(NO_POSTGRES);
  const postgres = await startPostgres(programs);
  stack.defer(() => postgres.close());
  const counter = await countStatements(await postgres.createDatabase());
  stack.defer(() => counter.close());
  const { components, server } = await startComponents();
  stack.use(server);
  const cluster = await startCluster();
  stack.defer(cluster.close);

  const port = await freePort();
  const config = join(context.directory, 'reconciler.yaml');
  await writeFile(
    config,
    `db: {encryption: {keyFile: encryption.key}}
mothership:
  scheme: http
  host: 127.0.0.1
  port: ${port}
  scheduler: {reconcilers: {base: {url: '${server.url}/v1/run'}}}
`,
  );
  const url = `http://127.0.0.1:${port}`;
  const flags = ['--allow-private-endpoints', '--migrate-database', '--create-encryption-key'];
  const process = await launchBundle(context, `mothership-${port}`, [
    ...['mothership', 'start', `--config=${config}`, `--database-url=${counter.url}`],
    ...[`--server-port=${port}`, ...flags, ...args],
  ]);
  stack.use(process);
  await eventually(
    async () => {
      if (!(await fetch(`${url}/health/ready`)).ok) throw new Error('not ready');
    },
    { intervalMs: 50, signal: context.signal },
  );
  const opened = stack.move();
  return {
    process,
    url,
    databaseUrl: counter.url,
    keyFile: join(context.directory, 'encryption.key'),
    components,
    kubeconfig: cluster.kubeconfig,
    statements: counter.count,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function startComponents() {
  const components: BenchComponents = {
    workMs: 0,
    faults: 0,
    holds: false,
    held: [],
    firstTasks: new Map(),
    callbackMs: [],
  };
  const work = async (task: Task) => {
    await new Promise((done) => setTimeout(done, components.workMs));
    const at = performance.now();
    await report(task, 'success', components.workMs);
    components.callbackMs.push(performance.now() - at);
  };
  const listener = createServer(async (request, response) => {
    const task = (await json(request)) as Task;
    const [runtime = ''] = task.correlationID.split('--');
    if (!components.firstTasks.has(runtime)) components.firstTasks.set(runtime, performance.now());
    if (systemRandom() < components.faults) {
      // Refused, or no answer.
      if (systemRandom() < 0.5) response.writeHead(503).end('{"error":"busy"}');
      else request.socket.destroy();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    if (components.holds) components.held.push(task);
    else work(task).catch(() => undefined);
  });
  return { components, server: await listenOnLoopback(listener) };
}

/** Calls back as a component reconciler does. */
export async function report(
  task: Task,
  status: 'running' | 'success',
  processingDuration = 0,
): Promise<void> {
  const body = JSON.stringify({ status, error: '', retryID: randomUUID(), processingDuration });
  const response = await fetch(task.callbackURL, { method: 'POST', body });
  if (!response.ok) throw new Error(`a callback was refused: ${await response.text()}`);
  await response.text();
}

/** Answers every request as an API server answers a list of namespaces. */
async function startCluster() {
  const authority = await createAuthority('bench');
  const { certificate: cert, key } = await authority.issueServer(['127.0.0.1']);
  const server = createTlsServer({ cert, key }, (_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end('{"kind":"NamespaceList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]}');
  });
  const { url, close } = await listenOnLoopback(server);
  const client = { token: 'bench-token' };
  return {
    kubeconfig: renderKubeconfig({
      ...{ cluster: 'bench', server: url, authority: authority.certificate },
      ...{ user: 'bench', client },
    }),
    close,
  };
}
