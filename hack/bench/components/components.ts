import { takeProfile } from '../measure/cpu-profile.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import { median } from '../measure/statistics.ts';
import type { Measurement, MeasurementContext } from '../measurement.ts';
import type { Figure } from '../report/figures.ts';
import type { Profile } from '../report/report.ts';
import { OBJECTS } from './component-charts.ts';
import { type ComponentEnvironment, openComponentEnvironment } from './component-environment.ts';

const ROUNDS = 7;
/** Tasks at the same time. */
const TASKS = 50;
/** Helm processes at the same time: more of them take longer on two cores. */
const HELMS = 4;
const PROFILE_MS = 5000;

const single = range(ROUNDS).map((index) => `single-${index}`);
const many = range(TASKS).map((index) => `many-${index}`);

export const components: Measurement = {
  name: 'components',
  title: `Component reconcilers: a chart of ${OBJECTS} objects`,
  method:
    `\`component start base\` with default flags, charts in a local folder, and a real control plane without nodes. A task lasts until its report of success arrives; it renders the chart, applies it, and asks for the readiness of its objects. ` +
    `The plain program is \`helm upgrade --install\` of the same chart in another namespace, right before or after, started once for each. Medians of ${ROUNDS} charts. Then ${TASKS} tasks at the same time, beside ${HELMS} Helm processes at a time. The targets are half of Helm’s time in the same run.`,
  run: async (context) => {
    await using environment = await openComponentEnvironment(context, [...single, ...many, 'warm-up']);
    await environment.reconcile('warm-up', 'first');
    await environment.upgrade('warm-up', 'first');
    const figures: Figure[] = [];
    for (const [what, text] of [
      ['installation', 'first'],
      ['change of every second object', 'second'],
      ['deployment without a change', 'second'],
    ] as const)
      figures.push(await oneByOne(environment, context, what, text));
    figures.push(...(await atOnce(environment, context, 'installations', 'first')));
    figures.push(...(await atOnce(environment, context, 'deployments without a change', 'first')));
    const { peakRssMiB } = await environment.process.usage();
    figures.push({ name: `peak RSS with ${TASKS} tasks`, unit: 'MiB', value: peakRssMiB, target: 300 });
    const profiles = context.options.cpuProf ? [await profileOf(environment, context)] : [];
    return { figures, profiles };
  },
};

async function oneByOne(
  environment: ComponentEnvironment,
  { print }: MeasurementContext,
  what: string,
  text: string,
): Promise<Figure> {
  print(`${what}, one by one`);
  const own: number[] = [];
  const helm: number[] = [];
  for (const [index, component] of single.entries()) {
    const measureOwn = async () => own.push(await timeOf(() => environment.reconcile(component, text)));
    const measureHelm = async () => helm.push(await timeOf(() => environment.upgrade(component, text)));
    const [first, second] = index % 2 === 0 ? [measureOwn, measureHelm] : [measureHelm, measureOwn];
    await first();
    await second();
  }
  const plain = median(helm);
  return { name: `${what}, one by one`, unit: 'ms', value: median(own), plain, target: plain / 2 };
}

async function atOnce(
  environment: ComponentEnvironment,
  { print }: MeasurementContext,
  what: string,
  text: string,
): Promise<Figure[]> {
  const name = `${TASKS} ${what} at the same time`;
  print(name);
  const { process } = environment;
  const before = (await process.usage()).cpuMs;
  const own = await timeOf(() =>
    Promise.all(many.map((component) => environment.reconcile(component, text))),
  );
  const ownCpu = (await process.usage()).cpuMs - before;
  const helmBefore = await environment.helmCpuMs();
  const helm = await timeOf(() =>
    inParallel(many, (component) => environment.upgrade(component, text), HELMS),
  );
  const helmCpu = (await environment.helmCpuMs()) - helmBefore;
  return [
    { name, unit: 's', value: own / 1000, plain: helm / 1000, target: helm / 2000 },
    { name: `${name}: CPU of each`, unit: 'ms', value: ownCpu / TASKS, plain: helmCpu / TASKS },
  ];
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function profileOf(environment: ComponentEnvironment, context: MeasurementContext): Promise<Profile> {
  const title = `${TASKS} tasks that change their components, again and again`;
  const profiling = takeProfile(environment.process, context, { title, ms: PROFILE_MS, name: 'components' });
  let isOver = false;
  const working = (async () => {
    for (let round = 0; !isOver; round++)
      await Promise.all(many.map((component) => environment.reconcile(component, `profile-${round}`)));
  })();
  const profile = await profiling;
  isOver = true;
  await working;
  return profile;
}
