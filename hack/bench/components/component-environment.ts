import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { listenOnLoopback } from '../../../internal/framework/base/loopback.fixture.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { startControlPlane } from '../../control-planes/control-plane.ts';
import { freePort } from '../../control-planes/process/free-port.ts';
import { ensureHelm } from '../../helm/helm.ts';
import { launchBundle, type MeasuredProcess } from '../measure/measured-process.ts';
import type { MeasurementContext } from '../measurement.ts';
import { chartFolder, writeCharts } from './component-charts.ts';

/** A control plane, a component reconciler and Helm, with the same charts. */
export interface ComponentEnvironment extends AsyncDisposable {
  readonly process: MeasuredProcess;
  /** Sends a task and waits for its final report. @throws if that is no success */
  reconcile(component: string, text: string): Promise<void>;
  /** The same with `helm upgrade --install`, in another namespace. */
  upgrade(component: string, text: string): Promise<void>;
  /** CPU time of all Helm processes that have ended, in ms. */
  helmCpuMs(): Promise<number>;
}

const BUSY_MS = 20;

interface Report {
  readonly status: string;
  readonly error: string;
}

export async function openComponentEnvironment(
  context: MeasurementContext,
  components: readonly string[],
): Promise<ComponentEnvironment> {
  await using stack = new AsyncDisposableStack();
  const plane = await startControlPlane({
    name: 'components',
    // Room for the Services of all charts.
    prepare: async () => ({ 'kube-apiserver': { 'service-cluster-ip-range': '10.96.0.0/16' } }),
  });
  stack.defer(() => plane.stop());
  const workspace = join(context.directory, 'workspace');
  await writeCharts(workspace, components);
  const callbacks = await startCallbacks();
  stack.defer(callbacks.close);
  const port = await freePort();
  const process = await launchBundle(context, `component-${port}`, [
    ...['component', 'start', 'base', `--server-port=${port}`, `--workspace=${workspace}`],
    ...['--allow-private-endpoints', '--no-login'],
  ]);
  stack.use(process);
  const url = `http://127.0.0.1:${port}/v1/run`;
  await eventually(
    async () => {
      await fetch(url);
    },
    { intervalMs: 50, signal: context.signal },
  );
  const helm = await helmRunner(context.directory, workspace, plane.kubeconfigPath);
  const opened = stack.move();
  return {
    process,
    reconcile: async (component, text) => {
      const { callbackURL, ended } = callbacks.open(component);
      const task = JSON.stringify(taskOf({ component, text, callbackURL, kubeconfig: plane.kubeconfig }));
      const post = () =>
        fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: task });
      let response = await post();
      // The worker of a task is free a moment after its last report.
      for (; response.status === 429; response = await post())
        await sleep(context.clock, BUSY_MS, context.signal);
      if (!response.ok) throw new Error(`the task was refused: ${response.status} ${await response.text()}`);
      await process.during(ended);
    },
    upgrade: helm,
    helmCpuMs: childrenCpuMs,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

const taskOf = (given: {
  readonly component: string;
  readonly text: string;
  readonly callbackURL: string;
  readonly kubeconfig: string;
}) => ({
  component: given.component,
  namespace: given.component,
  version: 'local',
  url: '',
  profile: '',
  configuration: { text: given.text },
  kubeconfig: given.kubeconfig,
  callbackURL: given.callbackURL,
  correlationID: given.component,
  componentsReady: [],
  metadata: {},
  repository: { url: '' },
  type: 'reconcile',
  componentConfiguration: { maxRetries: 1, debug: false },
});

/** Takes reports of tasks, by component. */
async function startCallbacks() {
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  const listener = createServer(async (request, response) => {
    const { status, error } = (await json(request)) as Report;
    response.writeHead(200).end();
    const ended = waiting.get(request.url ?? '');
    if (status === 'success') ended?.resolve();
    if (status === 'error') ended?.reject(new Error(error));
  });
  const { url, close } = await listenOnLoopback(listener);
  return {
    open: (component: string) => {
      const path = `/${component}`;
      const ended = Promise.withResolvers<void>();
      waiting.set(path, ended);
      return { callbackURL: `${url}${path}`, ended: ended.promise };
    },
    close,
  };
}

/** Caches of Helm and of its discovery stay from run to run, as on the machine of a user. */
async function helmRunner(directory: string, workspace: string, kubeconfig: string) {
  const command = await ensureHelm();
  const home = join(directory, 'helm');
  await mkdir(home, { recursive: true });
  const env = { PATH: globalThis.process.env.PATH, HOME: home };
  return async (component: string, text: string) => {
    const chart = join(workspace, chartFolder(component));
    const place = ['--kubeconfig', kubeconfig, '--namespace', `helm-${component}`, '--create-namespace'];
    await promisify(execFile)(
      command,
      ['upgrade', '--install', component, chart, '--set', `text=${text}`, ...place],
      { env },
    );
  };
}

/** Of all children that have ended, by the kernel's count in hundredths of a second. */
async function childrenCpuMs(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // Fields 16 and 17 of proc(5), counted from the third.
  return 10 * (Number(fields[13]) + Number(fields[14]));
}
