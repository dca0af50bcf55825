import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { reconcilesIn } from '../../demo/provider/metrics.ts';
import { RUNTIME_ENV } from '../../xpkg/runtime-image.ts';
import { launch, type MeasuredProcess } from '../measure/measured-process.ts';
import type { Landscape } from './environment.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** The ways in which the provider is started; the bundle is the same. */
const launchers = {
  /** As users do, with the code compiled by an earlier start. */
  bin: { command: join(ROOT, 'bin/provider-kyma'), args: [] },
  /** As the image starts it, without a writable folder: nothing is compiled beforehand. */
  dist: { command: process.execPath, args: [join(ROOT, 'dist/provider-kyma.mjs')] },
} as const satisfies Record<string, { command: string; args: readonly string[] }>;

export type Launcher = keyof typeof launchers;

export interface ProviderRun extends MeasuredProcess {
  /** Passes so far. Rejects if any of them ended by a fault. */
  reconciles(): Promise<number>;
  /** Resolves at a moment when no pass is under way, of which there are many unless the provider is overloaded. */
  quiet(): Promise<void>;
}

export interface ProviderRunOptions {
  /** Label selector of the mappings it looks at. */
  readonly selector: string;
  /** Beside those that the bench cannot do without. */
  readonly flags?: readonly string[];
  readonly launcher?: Launcher;
  readonly probe?: boolean;
}

/** Runs the provider as a process of its own and resolves when it reports to be ready. */
export async function startProvider(landscape: Landscape, options: ProviderRunOptions): Promise<ProviderRun> {
  const run = await launchProvider(landscape, options);
  try {
    const url = await eventually(
      async () => {
        const address = servedAt(await readFile(run.logFile, 'utf8'));
        const { ok } = await fetch(`http://${address}/readyz`);
        if (!ok) throw new Error('the provider is not ready');
        return `http://${address}`;
      },
      { intervalMs: 20, signal: landscape.signal },
    );
    const reconciles = async () => {
      const found = reconcilesIn(await (await fetch(`${url}/metrics`)).text());
      if (found.panics > 0)
        throw new Error(`${found.panics} passes ended by a fault of the provider: see its log`);
      return found;
    };
    return {
      ...run,
      reconciles: async () => (await reconciles()).total,
      quiet: async () => {
        while ((await reconciles()).underWay > 0) await sleep(landscape.clock, 5, landscape.signal);
      },
    };
  } catch (error) {
    await run.stop();
    throw error;
  }
}

/** The same without any waiting. */
export async function launchProvider(
  { directory, clock, signal, caFile, kubeconfigs }: Landscape,
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
      // The bench's own, so that whether code was compiled before is for the bench to say.
      ...(launcher === 'bin' ? { NODE_COMPILE_CACHE: join(directory, 'compiled') } : RUNTIME_ENV),
    },
    directory,
    clock,
    signal,
    probe,
  });
}

/** Throws while its log does not say so yet. */
function servedAt(log: string): string {
  const line = log.split('\n').find((text) => text.includes('"msg":"serving"'));
  if (line === undefined) throw new Error('the provider does not say where it serves its pages');
  const { address }: { address: string } = JSON.parse(line);
  return address;
}
