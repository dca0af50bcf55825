/** The Kyma reconciler of the demo: a mothership with its embedded database, and one component reconciler. */
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { components } from '../../../apis/reconciler/external.openapi.gen.ts';
import type { Clock } from '../../../internal/framework/base/time/clock.ts';
import { createKymaWorkspace, KYMA_VERSION } from '../../../test/environment/components/kyma-workspace.ts';
import { freePort } from '../../control-planes/process/free-port.ts';
import { startServerProcess } from '../../control-planes/process/server-process.ts';
import { PROVIDER } from '../provider/provider-command.ts';
import { stopAsPod } from '../provider/provider-process.ts';

export type ApiSchemas = components['schemas'];

export interface Reconciler {
  /** `http://localhost:port`, of the API and the page for operators. */
  readonly url: string;
  /** Calls the API of the mothership. @throws unless the answer is a success or 404: undefined then */
  call<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<T | undefined>;
  /** Replaces the template of a component's chart in the workspace. */
  chart(component: string, template: string): Promise<void>;
}

export interface ReconcilerOptions {
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stack: AsyncDisposableStack;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export { KYMA_VERSION };

export async function startReconciler(options: ReconcilerOptions): Promise<Reconciler> {
  const { directory, stack } = options;
  // The watchdog removes the folder if the demo is killed.
  const workspace = await createKymaWorkspace(directory);
  stack.defer(workspace.remove);
  const [port, componentPort] = [await freePort(), await freePort()];
  const folder = join(directory, 'mothership');
  await mkdir(folder);
  const config = join(folder, 'reconciler.yaml');
  await writeFile(
    config,
    `db: {encryption: {keyFile: encryption.key}}
mothership:
  scheme: http
  host: localhost
  port: ${port}
  scheduler: {reconcilers: {base: {url: 'http://localhost:${componentPort}/v1/run'}}}
`,
  );
  await Promise.all([
    start(options, 'mothership', [
      ...['mothership', 'start', `--config=${config}`, `--server-port=${port}`],
      ...['--migrate-database', '--create-encryption-key', `--data-dir=${join(folder, 'data')}`],
      '--allow-private-endpoints',
    ]),
    start(options, 'base-reconciler', [
      ...['component', 'start', 'base', `--server-port=${componentPort}`, `--workspace=${workspace.folder}`],
      ...['--allow-private-endpoints', '--retries-delay=200ms', '--progress-interval=1s'],
    ]),
  ]);
  const url = `http://localhost:${port}`;
  return {
    url,
    chart: (component, template) => workspace.chart(component, { 'templates/all.yaml': template }),
    call: async <T>(method: string, path: string, body?: object) => {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}/v1${path}`, { method, ...sent, signal: options.signal });
      const text = await response.text();
      if (response.status === 404) return undefined;
      if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
  };
}

/** Starts a program of the bundle, and waits until it serves. */
async function start(
  { directory, env, stack, clock, signal }: ReconcilerOptions,
  name: string,
  args: readonly string[],
): Promise<void> {
  const log = join(directory, `${name}.log`);
  const server = await startServerProcess({
    name,
    command: PROVIDER,
    args,
    directory,
    env,
    clock,
    signal,
    isReady: async () => readFileSync(log, 'utf8').includes('"addresses":['),
  });
  stack.defer(() => stopAsPod(server, clock));
}
