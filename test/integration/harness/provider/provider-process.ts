import { readFileSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServerProcess } from '../../../../hack/control-planes/process/server-process.ts';
import { startWatchdog } from '../../../../hack/control-planes/process/watchdog.ts';
import { PROVIDER, providerEnvironment } from '../../../../hack/demo/provider/provider-command.ts';
import { systemClock } from '../../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../../environment/eventually.ts';
import { watchProcessLog } from '../../../guards/process-logs.ts';

/** The provider as users run it: the bundle, in a process of its own, which tests may kill and freeze. */
export interface ProviderProcess {
  /** The lines of its log that have this text as their message. */
  logged(message: string): LogLine[];
  /** Waits for such a line and returns the first. */
  untilLogged(message: string, timeoutMs?: number): Promise<LogLine>;
  /** Everything it wrote, its last words on stderr included. */
  output(): string;
  get(page: '/metrics' | '/healthz' | '/readyz'): Promise<{ readonly status: number; readonly body: string }>;
  signal(name: NodeJS.Signals): void;
  /** Replaces its kubeconfig file, as a rotation does. */
  replaceKubeconfig(kubeconfig: string): Promise<void>;
  /** Resolves when it has ended, with how: `it ended with 0`, `it ended with SIGKILL`. */
  readonly gone: Promise<string>;
  /** Whether it has not ended. */
  isRunning(): boolean;
  /** Kills it with SIGKILL, frozen or not, and waits for its end. */
  kill(): Promise<void>;
}

export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string };

export interface ProviderProcesses {
  /** Starts one and waits until it serves its pages. */
  start(options: ProviderProcessOptions): Promise<ProviderProcess>;
  /** Kills all that still run; others can be started after them. */
  killAll(): Promise<void>;
  /** Kills all that still run; no more can be started. */
  stop(): Promise<void>;
}

export interface ProviderProcessOptions {
  /** Of the management cluster, as text. */
  readonly kubeconfig: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** @param caCertificate PEM of the authority of HANA Cloud's certificates */
export async function providerProcesses(caCertificate: string): Promise<ProviderProcesses> {
  const directory = await mkdtemp(join(tmpdir(), 'kyma-providers-'));
  const endWatchdog = startWatchdog(directory);
  const caFile = join(directory, 'ca.pem');
  await writeFile(caFile, caCertificate);
  const started: ProviderProcess[] = [];
  let count = 0;
  const killAll = async () => {
    await Promise.all(started.map((provider) => provider.kill()));
  };
  return {
    start: async ({ kubeconfig, args = [], env = {} }) => {
      // Counted before it has started: several may start at a time.
      count++;
      const name = `provider-${count}`;
      const kubeconfigPath = join(directory, `${name}.kubeconfig`);
      await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
      const flags = [`--kubeconfig=${kubeconfigPath}`, '--allow-private-endpoints'];
      const anyPort = '127.0.0.1:0';
      const addresses = [`--metrics-bind-address=${anyPort}`, `--health-probe-bind-addr=${anyPort}`];
      const log = join(directory, `${name}.log`);
      const output = () => readFileSync(log, 'utf8');
      watchProcessLog(log);
      const logged = (message: string) =>
        linesWith(JSON.stringify(message), output()).filter(({ msg }) => msg === message);
      const server = await startServerProcess({
        name,
        command: PROVIDER,
        args: ['start', ...flags, ...addresses, ...args],
        env: { ...providerEnvironment(caFile, process.env), ...env },
        directory,
        clock: systemClock,
        isReady: async () => logged('serving').length > 0,
      });
      let running = true;
      void server.gone.then(() => {
        running = false;
      });
      const provider: ProviderProcess = {
        logged,
        untilLogged: (message, timeoutMs) =>
          eventually(
            () => {
              const [line] = logged(message);
              if (line === undefined) throw new Error(`${name} does not say "${message}":\n${output()}`);
              return line;
            },
            { timeoutMs, intervalMs: 20 },
          ),
        output,
        get: async (page) => {
          const [line] = logged('serving');
          const response = await fetch(`http://${line?.address}${page}`).catch((cause: unknown) => {
            const state = running ? 'runs, and does not respond' : 'has ended';
            throw new Error(`${name} ${state}:\n${output()}`, { cause });
          });
          return { status: response.status, body: await response.text() };
        },
        signal: server.signal,
        gone: server.gone,
        replaceKubeconfig: (text) => writeFile(kubeconfigPath, text),
        isRunning: () => running,
        kill: () => server.stop(),
      };
      started.push(provider);
      return provider;
    },
    killAll,
    stop: async () => {
      await killAll();
      await endWatchdog();
    },
  };
}

/**
 * The last line may not be written to its end; what is no JSON is an error's text on stderr.
 *
 * @param text only lines that contain it are parsed, since waits read the whole log again and again
 */
function linesWith(text: string, output: string): LogLine[] {
  return output.split('\n').flatMap((line) => {
    if (!line.includes(text)) return [];
    try {
      return [JSON.parse(line) as LogLine];
    } catch {
      return [];
    }
  });
}
