import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import type { BenchEnvironment, Requester } from '../environment/environment.ts';
import { type Launcher, launchPlainWatch, launchProvider, startProvider } from '../environment/programs.ts';
import { markAudit } from '../environment/traffic.ts';
import { range } from '../measure/in-parallel.ts';
import type { MeasuredProcess } from '../measure/measured-process.ts';
import { median } from '../measure/statistics.ts';
import type { Measurement } from '../measurement.ts';
import { type Figure, figure } from '../report/figures.ts';

const LAUNCHES = 7;
/** After its start a process still compiles and collects. */
const IDLE_MS = 5000;
/** Selects no mapping. */
const NOTHING = 'bench.example.org/population=nothing';
const LAUNCHERS: Readonly<Record<Launcher, string>> = {
  bin: '`bin/provider-kyma`',
  dist: '`dist/provider-kyma.mjs`, as the image starts it',
};

export const startUp: Measurement = {
  name: 'start-up',
  title: 'Start-up, and memory when idle',
  method:
    'From the launch of the process to the arrival of its watch of KymaInstanceMappings at the API server, by the API server’s own record; the median of several launches. ' +
    '`bin/provider-kyma` finds its code compiled by an earlier start, the bundle started as in the image does not. ' +
    'The plain program is a bundle as well, and opens the same watch by the shortest way. ' +
    'Memory is that of a process that has run for 5 s with nothing to reconcile.',
  run: async (context) => {
    const environment = await context.environment();
    const figures: Figure[] = [];
    for (const measure of [launchTime, idleMemory]) {
      for (const launcher of ['bin', 'dist'] as const)
        figures.push(...(await measure(environment, launcher)));
    }
    return { figures };
  },
};

async function launchTime(environment: BenchEnvironment, launcher: Launcher): Promise<Figure[]> {
  const { print, signal } = environment;
  print(`${LAUNCHES} launches of ${launcher}`);
  const provider: number[] = [];
  const plain: number[] = [];
  // The first launch compiles.
  for (const launch of range(LAUNCHES + 1)) {
    signal.throwIfAborted();
    // Alternating, so both run under the same load of the machine.
    const provided = await timeToWatch(environment, 'provider', () =>
      launchProvider(environment, { selector: NOTHING, launcher, probe: false }),
    );
    const plained = await timeToWatch(environment, 'plain', () =>
      launchPlainWatch(environment, launcher === 'bin'),
    );
    if (launch === 0) continue;
    provider.push(provided);
    plain.push(plained);
  }
  const name = `launch to its watches, ${LAUNCHERS[launcher]}`;
  return [{ name, unit: 'ms', value: median(provider), plain: median(plain), target: 400 }];
}

async function timeToWatch(
  environment: BenchEnvironment,
  requester: Requester,
  launch: () => Promise<MeasuredProcess>,
): Promise<number> {
  const eventsOf = await markAudit(environment.planes.management);
  await using launched = await launch();
  return await eventually(
    async () => {
      const found = (await eventsOf(requester)).find(
        ({ verb, objectRef }) => verb === 'watch' && objectRef?.resource === kymaInstanceMappings.plural,
      );
      if (found === undefined) throw new Error(`${requester} does not watch`);
      return epochMs(found.requestReceivedTimestamp) - launched.launchedAt;
    },
    { intervalMs: 50, signal: environment.signal },
  );
}

/** With the microseconds that a Date leaves out. */
function epochMs(timestamp: string): number {
  const micros = /\.\d{3}(\d{3})Z$/.exec(timestamp)?.[1] ?? '0';
  return Date.parse(timestamp) + Number(micros) / 1000;
}

async function idleMemory(environment: BenchEnvironment, launcher: Launcher): Promise<Figure[]> {
  const { clock, print, signal } = environment;
  print(`memory of ${launcher} when idle`);
  await using provider = await startProvider(environment, { selector: NOTHING, launcher });
  await sleep(clock, IDLE_MS, signal);
  const { rssMiB } = await provider.usage();
  const after = await provider.collected();
  const name = `RSS when idle, ${LAUNCHERS[launcher]}`;
  return [figure(name, 'MiB', rssMiB, 95), figure(`${name}, after a collection`, 'MiB', after.rssMiB)];
}
