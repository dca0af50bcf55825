import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { launch, type MeasuredProcess } from '../measure/measured-process.ts';
import type { KeepOptions } from '../plain/plain-keeper.ts';
import { type BenchEnvironment, endpointOf } from './environment.ts';

/** The plain program at the provider's work. */
export interface PlainRun extends MeasuredProcess {
  /** Steady observations so far. Rejects after a failure. */
  observations(): Promise<number>;
  /** Mappings that lack a source. */
  waiting(): Promise<number>;
}

/** As many as the provider has by default. */
const WORKERS = 100;

export async function startPlain(
  environment: BenchEnvironment,
  options: Pick<KeepOptions, 'selector' | 'pollMs' | 'sources'>,
): Promise<PlainRun> {
  const { kubeconfigs, simulator } = environment;
  const run = await launchPlain(environment, { args: [], probe: true });
  const keep: KeepOptions = {
    ...options,
    workers: WORKERS,
    endpoints: {
      management: await endpointOf(kubeconfigs.plain.management),
      kyma: await endpointOf(kubeconfigs.plain.kyma),
      hanaCa: simulator.caCertificate,
    },
  };
  await run.ask('keep', keep);
  const checked = async (question: string): Promise<number> => {
    const [problem] = await run.ask<string[]>('problems');
    if (problem !== undefined) throw new Error(`the plain program failed: ${problem}`);
    return run.ask(question);
  };
  return {
    ...run,
    observations: () => checked('observations'),
    waiting: () => checked('waiting'),
  };
}

/** The plain program with nothing to do but one watch. */
export async function launchPlainWatch(
  environment: BenchEnvironment,
  compiled: boolean,
): Promise<MeasuredProcess> {
  const file = join(environment.directory, 'plain-endpoint.json');
  const endpoint = await endpointOf(environment.kubeconfigs.plain.management);
  await writeFile(file, JSON.stringify(endpoint), { mode: 0o600 });
  return launchPlain(environment, { args: [file], probe: false, compiled });
}

function launchPlain(
  { directory, clock, signal, plainProgram, caFile }: BenchEnvironment,
  {
    args,
    probe,
    compiled = true,
  }: { readonly args: readonly string[]; readonly probe: boolean; readonly compiled?: boolean },
): Promise<MeasuredProcess> {
  return launch({
    name: 'plain',
    command: process.execPath,
    args: [plainProgram, ...args],
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: caFile,
      ...(compiled ? { NODE_COMPILE_CACHE: join(directory, 'compiled') } : {}),
    },
    directory,
    clock,
    signal,
    probe,
  });
}
