import { kymaInstanceMappings } from '../../../apis/inventory.hana.orchestrate.cloud.sap/v1alpha1/kymainstancemapping.gen.ts';
import { sleep } from '../../../internal/base/time/clock.ts';
import { eventually } from '../../../test/environment/eventually.ts';
import type { Asker, Landscape } from '../environment/environment.ts';
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
    const landscape = await context.landscape();
    return {
      figures: [...(await launchTimes(context, landscape)), ...(await idleMemory(context, landscape))],
    };
  },
};

async function launchTimes({ tell, signal }: BenchContext, landscape: Landscape): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const launcher of ['bin', 'dist'] as const) {
    tell(`${LAUNCHES} launches of ${launcher}`);
    const provider = () => launchProvider(landscape, { selector: NOTHING, launcher, probe: false });
    const plain = () => launchPlainWatch(landscape, launcher === 'bin');
    const times: Record<Asker, number[]> = { provider: [], plain: [] };
    for (const launch of range(LAUNCHES + 1)) {
      signal.throwIfAborted();
      // By turns, so that both meet the same neighbours on the machine.
      const provided = await timeToWatch(landscape, 'provider', provider);
      const plained = await timeToWatch(landscape, 'plain', plain);
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
  landscape: Landscape,
  asker: Asker,
  launch: () => Promise<MeasuredProcess>,
): Promise<number> {
  const trail = auditTrail(landscape.planes.management);
  const mark = await trail.mark();
  const launched = await launch();
  try {
    const watch = await eventually(
      async () => {
        const events = await trail.since(mark, asker);
        const found = events.find(
          ({ verb, objectRef }) => verb === 'watch' && objectRef?.resource === kymaInstanceMappings.plural,
        );
        if (found === undefined) throw new Error(`${asker} does not watch`);
        return found;
      },
      { intervalMs: 50, signal: landscape.signal },
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

async function idleMemory({ clock, tell, signal }: BenchContext, landscape: Landscape): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const launcher of ['bin', 'dist'] as const) {
    tell(`memory of ${launcher} when idle`);
    const provider = await startProvider(landscape, { selector: NOTHING, launcher });
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
