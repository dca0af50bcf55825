/** The programs that are measured, each as a process of its own: the provider, and the plain program at the same work. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { reconcilesIn } from '../../demo/provider/metrics.ts';
import { servedAt } from '../../demo/provider/provider-process.ts';
import { RUNTIME_ENV, RUNTIME_OPTIONS } from '../../xpkg/runtime-image.ts';
import { launch, type MeasuredProcess } from '../measure/measured-process.ts';
import type { KeepOptions } from '../plain/plain-keeper.ts';
import { type BenchEnvironment, endpointOf, type Requester } from './environment.ts';
import { type Labelled, selectorOf, shardOf } from './population.ts';

export interface Program extends MeasuredProcess {
  /** Reconciles of the provider, steady observations of the plain program, so far. Rejects if one of them panicked. */
  observations(): Promise<number>;
  /** Resolves when the provider has no reconcile in progress, which happens often unless it is overloaded. */
  quiet(): Promise<void>;
}

export interface Work {
  /** All that the program keeps; the provider takes those beside the first one as well. */
  readonly populations: readonly [Labelled, ...Labelled[]];
  /** Default: that of the provider; the plain program does not poll. */
  readonly pollSeconds?: number;
  /** Collections of the kyma cluster that the plain program watches. */
  readonly sources?: readonly string[];
}

/** As many as the provider has by default. */
export const WORKERS = 100;

/** Starts one of the programs, and resolves when it works. */
export async function startProgram(
  environment: BenchEnvironment,
  requester: Requester,
  { populations, pollSeconds, sources = [] }: Work,
): Promise<Program> {
  if (requester === 'provider') {
    const flags = pollSeconds === undefined ? [] : ['--poll', `${pollSeconds}s`];
    return startProvider(environment, { selector: shardOf(populations[0]), flags });
  }
  const { kubeconfigs, simulator } = environment;
  const run = await launchPlain(environment, {});
  await run.ask('keep', {
    selector: selectorOf(populations),
    pollMs: pollSeconds === undefined ? undefined : pollSeconds * 1000,
    sources,
    workers: WORKERS,
    endpoints: {
      management: await endpointOf(kubeconfigs.plain.management),
      kyma: await endpointOf(kubeconfigs.plain.kyma),
      hanaCa: simulator.caCertificate,
    },
  } satisfies KeepOptions);
  return { ...run, observations: () => run.ask('observations'), quiet: async () => undefined };
}

/** The plain program at work that is not observed. @param work the question, and its options */
export async function startPlain(
  environment: BenchEnvironment,
  work: string,
  options: object,
): Promise<Program> {
  const run = await launchPlain(environment, {});
  await run.ask(work, options);
  return { ...run, observations: async () => 0, quiet: async () => undefined };
}

/** Resolves when the program has observed as much. */
export async function untilObserved(
  { clock, signal }: BenchEnvironment,
  program: Program,
  observations: number,
): Promise<void> {
  while ((await program.observations()) < observations) await sleep(clock, 250, signal);
}

/** The ways in which the provider is started; the bundle is the same. */
const ROOT = join(import.meta.dirname, '../../..');
const launchers = {
  /** As users do, with the code compiled by an earlier start. */
  bin: [join(ROOT, 'bin/provider-kyma')],
  /** As the image starts it, without a writable folder: nothing is compiled beforehand. */
  dist: [process.execPath, ...RUNTIME_OPTIONS, join(ROOT, 'dist/provider-kyma.mjs')],
} as const;

export type Launcher = keyof typeof launchers;

export interface ProviderOptions {
  /** Label selector of the objects that the provider reconciles; default: all. */
  readonly selector?: string;
  /** In addition to those that the bench needs. */
  readonly flags?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly launcher?: Launcher;
  readonly probe?: boolean;
}

/** Resolves when the provider is ready. */
export async function startProvider(
  environment: BenchEnvironment,
  options: ProviderOptions,
): Promise<Program> {
  const { clock, signal } = environment;
  await using starting = new AsyncDisposableStack();
  const run = starting.use(await launchProvider(environment, options));
  const url = await eventually(
    async () => {
      const served = servedAt(await readFile(run.logFile, 'utf8'));
      if (served === undefined || !(await fetch(`${served}/readyz`)).ok)
        throw new Error('the provider is not ready');
      return served;
    },
    { intervalMs: 20, signal },
  );
  const reconciles = async () => {
    const found = reconcilesIn(await (await fetch(`${url}/metrics`)).text());
    if (found.panics > 0) throw new Error(`${found.panics} reconciles panicked: see the provider's log`);
    return found;
  };
  starting.move();
  return {
    ...run,
    observations: async () => (await reconciles()).total,
    quiet: async () => {
      while ((await reconciles()).underWay > 0) await sleep(clock, 5, signal);
    },
  };
}

/** The same without any waiting. */
export async function launchProvider(
  environment: BenchEnvironment,
  { selector, flags = [], env = {}, launcher = 'bin', probe = true }: ProviderOptions,
): Promise<MeasuredProcess> {
  const { directory, kubeconfigs, caFile } = environment;
  const kubeconfig = join(directory, 'provider.kubeconfig');
  await writeFile(kubeconfig, kubeconfigs.provider.management, { mode: 0o600 });
  // As the base of the image sets it: all authorities of its distribution, and one of the installation.
  const certificates = join(directory, 'certificates.pem');
  await writeFile(certificates, [...rootCertificates, await readFile(caFile, 'utf8')].join('\n'));
  const [command, ...args] = launchers[launcher];
  const anyPort = '127.0.0.1:0';
  const shard = selector === undefined ? [] : ['--watch-label-selector', selector];
  const own = ['--kubeconfig', kubeconfig, '--allow-private-endpoints', ...shard];
  const addresses = ['--metrics-bind-address', anyPort, '--health-probe-bind-addr', anyPort];
  return launch(environment, {
    name: 'provider',
    command,
    args: [...args, 'start', ...own, ...addresses, ...flags],
    env: {
      ...envOf(environment, launcher === 'bin'),
      ...(launcher === 'bin' ? {} : RUNTIME_ENV),
      SSL_CERT_FILE: certificates,
      ...env,
    },
    probe,
  });
}

/** The plain program with nothing to do but one watch. @param compiled its code is compiled by an earlier start */
export async function launchPlainWatch(
  environment: BenchEnvironment,
  compiled: boolean,
): Promise<MeasuredProcess> {
  const file = join(environment.directory, 'plain-endpoint.json');
  const endpoint = await endpointOf(environment.kubeconfigs.plain.management);
  await writeFile(file, JSON.stringify(endpoint), { mode: 0o600 });
  return launchPlain(environment, { args: [file], probe: false, compiled });
}

/** The plain program, which waits for a question. */
export function launchPlain(
  environment: BenchEnvironment,
  options: { readonly args?: readonly string[]; readonly probe?: boolean; readonly compiled?: boolean },
): Promise<MeasuredProcess> {
  const { args = [], probe = true, compiled = true } = options;
  return launch(environment, {
    name: 'plain',
    command: process.execPath,
    args: [environment.plainProgram, ...args],
    env: { ...envOf(environment, compiled), NODE_EXTRA_CA_CERTS: environment.caFile },
    probe,
  });
}

/** With a compile cache of the bench, so that the bench controls whether code is compiled already. */
const envOf = ({ directory }: BenchEnvironment, compiled: boolean): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  ...(compiled ? { NODE_COMPILE_CACHE: join(directory, 'compiled') } : {}),
});
