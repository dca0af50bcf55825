import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep } from '../../../internal/framework/base/time/clock.ts';
import { type ServerProcess, startServerProcess } from '../../control-planes/process/server-process.ts';
import { PROVIDER } from './provider-command.ts';

/** The provider as a process of its own, as a user runs it. */
export interface ProviderProcess {
  /** `http://127.0.0.1:port`, for /metrics, /healthz and /readyz. */
  readonly url: string;
  readonly logFile: string;
  /** The text of one of its pages. */
  page(path: '/metrics' | '/healthz' | '/readyz'): Promise<string>;
  /** Resolves when it has ended, with how. */
  readonly gone: Promise<string>;
  /** Stops it as a pod is stopped: SIGTERM, and SIGKILL after a time-out. */
  stop(): Promise<void>;
}

export interface ProviderProcessOptions {
  readonly kubeconfigPath: string;
  readonly env: NodeJS.ProcessEnv;
  /** Modules of `--controllers`; default: those that run by default. */
  readonly modules?: readonly string[];
  /** Further flags. */
  readonly args?: readonly string[];
  /** For its log and pid file; guarded by a watchdog, so nothing outlives a killed demo. */
  readonly directory: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const NAME = 'provider';
const STOP_MS = 10_000;

/** Starts it and waits until it reports to be ready. */
export async function startProvider(options: ProviderProcessOptions): Promise<ProviderProcess> {
  const { kubeconfigPath, env, modules, args = [], directory, clock, signal } = options;
  const logFile = join(directory, `${NAME}.log`);
  const anyPort = '127.0.0.1:0';
  const controllers = modules === undefined ? [] : [`--controllers=${modules.join(',')}`];
  const flags = ['--kubeconfig', kubeconfigPath, '--allow-private-endpoints', ...controllers];
  const addresses = ['--metrics-bind-address', anyPort, '--health-probe-bind-addr', anyPort];
  const server = await startServerProcess({
    name: NAME,
    command: PROVIDER,
    args: ['start', ...flags, ...addresses, ...args],
    directory,
    env,
    clock,
    signal,
    isReady: async () => {
      const url = servedAt(await readFile(logFile, 'utf8'));
      return url !== undefined && (await fetch(`${url}/readyz`)).ok;
    },
  });
  const url = servedAt(await readFile(logFile, 'utf8'));
  if (url === undefined) throw new Error('the provider does not say where it serves its pages');
  return {
    url,
    logFile,
    page: async (path) => (await fetch(`${url}${path}`, { signal })).text(),
    gone: server.gone,
    stop: () => stopAsPod(server, clock),
  };
}

/** SIGTERM, and SIGKILL after a time-out. */
export async function stopAsPod(server: ServerProcess, clock: Clock): Promise<void> {
  // A timer that is left would hold the process.
  const patience = new AbortController();
  const impatience = sleep(clock, STOP_MS, patience.signal).catch(() => undefined);
  await Promise.race([server.stop('SIGTERM'), impatience]);
  patience.abort();
  await server.stop();
}

/** The last lines of the log, for the message of a failure. */
export function lastLinesIn(directory: string, count: number): string[] {
  try {
    return readFileSync(join(directory, `${NAME}.log`), 'utf8')
      .trimEnd()
      .split('\n')
      .filter(Boolean)
      .slice(-count);
  } catch {
    return [];
  }
}

/** The URL of its pages according to its log; undefined: not yet. */
export function servedAt(log: string): string | undefined {
  const line = log.split('\n').find((text) => text.includes('"msg":"serving"'));
  if (line === undefined) return undefined;
  const { address }: { address: string } = JSON.parse(line);
  return `http://${address}`;
}
