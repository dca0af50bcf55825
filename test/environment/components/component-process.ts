import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServerProcess } from '../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../hack/control-planes/process/watchdog.ts';
import { systemClock } from '../../../internal/framework/base/time/clock.ts';
import type { Task } from '../../../internal/systems/reconciler/components/model/task.ts';
import { watchProcessLog } from '../../guards/process-logs.ts';

/** What users start: the bundle, through its launcher. */
const PROVIDER = fileURLToPath(new URL('../../../bin/provider-kyma', import.meta.url));

/** `provider-kyma component start` as a process of its own. */
export interface ComponentProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Sends a task. Returns the status of the answer. */
  send(task: Partial<Task>): Promise<number>;
  get(path: string): Promise<{ readonly status: number; readonly body: string }>;
  output(): string;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended, with how: `it ended with 0`. */
  readonly gone: Promise<string>;
  /** With SIGKILL. */
  kill(): Promise<void>;
}

export interface ComponentProcesses {
  start(options: ComponentProcessOptions): Promise<ComponentProcess>;
  /** Kills all that still run. */
  stop(): Promise<void>;
}

export interface ComponentProcessOptions {
  readonly workspace: string;
  /** Default: any free one. */
  readonly port?: number;
  /** Default `base`. */
  readonly name?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function componentProcesses(): Promise<ComponentProcesses> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-components-'));
  const endWatchdog = startWatchdog(directory);
  const started: ComponentProcess[] = [];
  let count = 0;
  return {
    start: async ({ workspace, port = 0, name = 'base', args = [], env = {} }) => {
      count++;
      const id = `component-${count}`;
      const log = join(directory, `${id}.log`);
      const output = () => readFileSync(log, 'utf8');
      watchProcessLog(log);
      const address = () => /"addresses":\["([^"]+)"/.exec(output())?.[1]?.replace(/^:/, '127.0.0.1:');
      const flags = [`--server-port=${port}`, `--workspace=${workspace}`, '--allow-private-endpoints'];
      const { PATH = '', HOME = '' } = process.env;
      const server = await startServerProcess({
        name: id,
        command: PROVIDER,
        args: ['component', 'start', name, ...flags, ...args],
        env: { PATH, HOME, ...env },
        directory,
        clock: systemClock,
        isReady: async () => address() !== undefined,
      });
      const url = `http://${address()}`;
      const component: ComponentProcess = {
        url,
        output,
        signal: server.signal,
        gone: server.gone,
        kill: () => server.stop(),
        send: async (task) => {
          const response = await fetch(`${url}/v1/run`, { method: 'POST', body: JSON.stringify(task) });
          await response.text();
          return response.status;
        },
        get: async (path) => {
          const response = await fetch(`${url}${path}`);
          return { status: response.status, body: await response.text() };
        },
      };
      started.push(component);
      return component;
    },
    stop: async () => {
      await Promise.all(started.map((component) => component.kill()));
      await endWatchdog();
    },
  };
}
