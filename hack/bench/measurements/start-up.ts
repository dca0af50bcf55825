import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import type { BenchEnvironment, Requester } from '../environment/environment.ts';
import { launchPlainWatch } from '../environment/plain-run.ts';
import { type Launcher, launchProvider, startProvider } from '../environment/provider-run.ts';
import { auditTrail } from '../measure/audit-trail.ts';
import { range } from '../measure/in-parallel.ts';
import type { MeasuredProcess } from '../measure/measured-process.ts';
import { median } from '../measure/statistics.ts';
import type { BenchContext, Figure, Measurement } from '../measurement.ts';

const LAUNCHES = 7;
/** After its start a process still compiles and collects. */
const IDLE_MS = 5000;
/** Selects no mapping. */
const NOTHING = 'bench.example.org/population=nothing';

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
    return {
      figures: [...(await launchTimes(context, environment)), ...(await idleMemory(context, environment))],
    };
  },
};

async function launchTimes(
  { print, signal }: BenchContext,
  environment: BenchEnvironment,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const launcher of ['bin', 'dist'] as const) {
    print(`${LAUNCHES} launches of ${launcher}`);
    const provider = () => launchProvider(environment, { selector: NOTHING, launcher, probe: false });
    const plain = () => launchPlainWatch(environment, launcher === 'bin');
    const times: Record<Requester, number[]> = { provider: [], plain: [] };
    for (const launch of range(LAUNCHES + 1)) {
      signal.throwIfAborted();
      // Alternating, so both run under the same load of the machine.
      const provided = await timeToWatch(environment, 'provider', provider);
      const plained = await timeToWatch(environment, 'plain', plain);
      // The first launch compiles.
      if (launch === 0) continue;
      times.provider.push(provided);
      times.plain.push(plained);
    }
    figures.push({
      name: `launch to its watches, ${names[launcher]}`,
      unit: 'ms',
      value: median(times.provider),
      plain: median(times.plain),
      target: 400,
    });
  }
  return figures;
}

const names: Readonly<Record<Launcher, string>> = {
  bin: '`bin/provider-kyma`',
  dist: '`dist/provider-kyma.mjs`, as the image starts it',
};

async function timeToWatch(
  environment: BenchEnvironment,
  requester: Requester,
  launch: () => Promise<MeasuredProcess>,
): Promise<number> {
  const trail = auditTrail(environment.planes.management);
  const mark = await trail.mark();
  const launched = await launch();
  try {
    const watch = await eventually(
      async () => {
        const events = await trail.since(mark, requester);
        const found = events.find(
          ({ verb, objectRef }) => verb === 'watch' && objectRef?.resource === kymaInstanceMappings.plural,
        );
        if (found === undefined) throw new Error(`${requester} does not watch`);
        return found;
      },
      { intervalMs: 50, signal: environment.signal },
    );
    return epochMs(watch.requestReceivedTimestamp) - launched.launchedAt;
  } finally {
    await launched.stop();
  }
}

/** With the microseconds that a Date leaves out. */
function epochMs(timestamp: string): number {
  const micros = /\.\d{3}(\d{3})Z$/.exec(timestamp)?.[1] ?? '0';
  return Date.parse(timestamp) + Number(micros) / 1000;
}

async function idleMemory(
  { clock, print, signal }: BenchContext,
  environment: BenchEnvironment,
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const launcher of ['bin', 'dist'] as const) {
    print(`memory of ${launcher} when idle`);
    const provider = await startProvider(environment, { selector: NOTHING, launcher });
    try {
      await sleep(clock, IDLE_MS, signal);
      const { rssMiB } = await provider.usage();
      const after = await provider.collected();
      figures.push(
        { name: `RSS when idle, ${names[launcher]}`, unit: 'MiB', value: rssMiB, target: 95 },
        { name: `RSS when idle, ${names[launcher]}, after a collection`, unit: 'MiB', value: after.rssMiB },
      );
    } finally {
      await provider.stop();
    }
  }
  return figures;
}
