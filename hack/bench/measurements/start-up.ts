import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/framework/base/time/clock.ts';
import type { ResourceType } from '../../../internal/framework/kube/object/resource-type.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import { btpCrds, installCrds } from '../../../test/environment/install-crds.ts';
import type { BenchEnvironment, Requester } from '../environment/environment.ts';
import {
  type Launcher,
  launchPlainWatch,
  launchProvider,
  type ProviderOptions,
  startProvider,
} from '../environment/programs.ts';
import { OPERATOR } from '../environment/services.ts';
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
interface Start {
  readonly name: string;
  readonly launcher: Launcher;
  /** What the watch is of that ends the time; default: any. */
  readonly watched?: ResourceType;
  readonly options: ProviderOptions;
}
const dist = '`dist/provider-kyma.mjs`, as the image starts it';
const mappings = { watched: kymaInstanceMappings, options: { selector: NOTHING } };
// Which kinds it watches depends on a Lease, which another start may hold.
const services = { options: OPERATOR };
const STARTS: readonly Start[] = [
  { name: '`bin/provider-kyma`', launcher: 'bin', ...mappings },
  { name: dist, launcher: 'dist', ...mappings },
  { name: `${dist}, module \`btp\``, launcher: 'dist', ...services },
];
/** ms, and MiB */
const TARGETS = { launch: 250, rss: 75, own: 28 } as const;

export const startUp: Measurement = {
  name: 'start-up',
  title: 'Start-up, and memory when idle',
  method:
    'From the launch of the process to the arrival of its watch of KymaInstanceMappings (module `btp`: of its first watch) at the API server, by the API server’s own record; the median of several launches. ' +
    '`bin/provider-kyma` finds its code compiled by an earlier start, the bundle started as in the image does not. ' +
    'The plain program is a bundle as well, and opens a watch by the shortest way. ' +
    'Memory is that of a process that has run for 5 s with nothing to reconcile; its own memory is without the pages of files, which are mostly of Node’s binary and shared by all its processes on a node.',
  run: async (context) => {
    const environment = await context.environment();
    await installCrds(environment.planes.management, await btpCrds());
    const figures: Figure[] = [];
    for (const measure of [launchTime, idleMemory])
      for (const start of STARTS) figures.push(...(await measure(environment, start)));
    return { figures };
  },
};

async function launchTime(environment: BenchEnvironment, start: Start): Promise<Figure[]> {
  const { print, signal } = environment;
  const { launcher, options, watched } = start;
  print(`${LAUNCHES} launches of ${start.name}`);
  const provider: number[] = [];
  const plain: number[] = [];
  // The first launch compiles.
  for (const launch of range(LAUNCHES + 1)) {
    signal.throwIfAborted();
    // Alternating, so both run under the same load of the machine.
    const provided = await timeToWatch(environment, 'provider', watched, () =>
      launchProvider(environment, { ...options, launcher, probe: false }),
    );
    const plained = await timeToWatch(environment, 'plain', kymaInstanceMappings, () =>
      launchPlainWatch(environment, launcher === 'bin'),
    );
    if (launch === 0) continue;
    provider.push(provided);
    plain.push(plained);
  }
  const name = `launch to its watches, ${start.name}`;
  return [{ name, unit: 'ms', value: median(provider), plain: median(plain), target: TARGETS.launch }];
}

async function timeToWatch(
  environment: BenchEnvironment,
  requester: Requester,
  watched: ResourceType | undefined,
  launch: () => Promise<MeasuredProcess>,
): Promise<number> {
  const eventsOf = await markAudit(environment.planes.management);
  await using launched = await launch();
  return await eventually(
    async () => {
      const found = (await eventsOf(requester)).find(
        ({ verb, objectRef }) =>
          verb === 'watch' && (watched === undefined || objectRef?.resource === watched.plural),
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

async function idleMemory(environment: BenchEnvironment, start: Start): Promise<Figure[]> {
  const { clock, print, signal } = environment;
  const { launcher, options } = start;
  print(`memory of ${start.name} when idle`);
  await using provider = await startProvider(environment, { ...options, launcher });
  await sleep(clock, IDLE_MS, signal);
  const before = await provider.usage();
  const after = await provider.collected();
  return [
    figure(`RSS when idle, ${start.name}`, 'MiB', before.rssMiB, TARGETS.rss),
    figure(`memory of its own when idle, ${start.name}`, 'MiB', before.ownMiB, TARGETS.own),
    figure(`RSS when idle, ${start.name}, after a collection`, 'MiB', after.rssMiB),
  ];
}
