import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { reconcilesIn } from '../../demo/provider/metrics.ts';
import { RUNTIME_ENV, RUNTIME_OPTIONS } from '../../xpkg/runtime-image.ts';
import { launch, type MeasuredProcess } from '../measure/measured-process.ts';
import type { BenchEnvironment } from './environment.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The ways in which the provider is started; the bundle is the same. */
const launchers = {
  /** As users do, with the code compiled by an earlier start. */
  bin: { command: join(ROOT, 'bin/provider-kyma'), args: [] },
  /** As the image starts it, without a writable folder: nothing is compiled beforehand. */
  dist: { command: process.execPath, args: [...RUNTIME_OPTIONS, join(ROOT, 'dist/provider-kyma.mjs')] },
} as const satisfies Record<string, { command: string; args: readonly string[] }>;

export type Launcher = keyof typeof launchers;

export interface ProviderRun extends MeasuredProcess {
  /** Reconciles so far. Rejects if any of them ended with an error. */
  reconciles(): Promise<number>;
  /** Resolves when no reconcile is in progress, which happens often unless the provider is overloaded. */
  quiet(): Promise<void>;
}

export interface ProviderRunOptions {
  /** Label selector of the mappings that the provider reconciles. */
  readonly selector: string;
  /** In addition to those that the bench needs. */
  readonly flags?: readonly string[];
  readonly launcher?: Launcher;
  readonly probe?: boolean;
}

/** Runs the provider as a process of its own and resolves when it is ready. */
export async function startProvider(
  environment: BenchEnvironment,
  options: ProviderRunOptions,
): Promise<ProviderRun> {
  const run = await launchProvider(environment, options);
  try {
    const url = await eventually(
      async () => {
        const address = servedAt(await readFile(run.logFile, 'utf8'));
        const { ok } = await fetch(`http://${address}/readyz`);
        if (!ok) throw new Error('the provider is not ready');
        return `http://${address}`;
      },
      { intervalMs: 20, signal: environment.signal },
    );
    const reconciles = async () => {
      const found = reconcilesIn(await (await fetch(`${url}/metrics`)).text());
      if (found.panics > 0) throw new Error(`${found.panics} reconciles panicked: see the provider's log`);
      return found;
    };
    return {
      ...run,
      reconciles: async () => (await reconciles()).total,
      quiet: async () => {
        while ((await reconciles()).underWay > 0) await sleep(environment.clock, 5, environment.signal);
      },
    };
  } catch (error) {
    await run.stop();
    throw error;
  }
}

/** The same without any waiting. */
export async function launchProvider(
  { directory, clock, signal, caFile, kubeconfigs }: BenchEnvironment,
  { selector, flags = [], launcher = 'bin', probe = true }: ProviderRunOptions,
): Promise<MeasuredProcess> {
  const kubeconfig = join(directory, 'provider.kubeconfig');
  await writeFile(kubeconfig, kubeconfigs.provider.management, { mode: 0o600 });
  const { command, args } = launchers[launcher];
  const anyPort = '127.0.0.1:0';
  const own = ['--kubeconfig', kubeconfig, '--allow-private-endpoints', '--watch-label-selector', selector];
  const addresses = ['--metrics-bind-address', anyPort, '--health-probe-bind-addr', anyPort];
  return launch({
    name: 'provider',
    command,
    args: [...args, 'start', ...own, ...addresses, ...flags],
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: caFile,
      // A compile cache of the bench, so that the bench controls whether code is compiled already.
      ...(launcher === 'bin' ? { NODE_COMPILE_CACHE: join(directory, 'compiled') } : RUNTIME_ENV),
    },
    directory,
    clock,
    signal,
    probe,
  });
}

/** Throws until the log has the line. */
function servedAt(log: string): string {
  const line = log.split('\n').find((text) => text.includes('"msg":"serving"'));
  if (line === undefined) throw new Error('the provider does not say where it serves its pages');
  const { address }: { address: string } = JSON.parse(line);
  return address;
}
