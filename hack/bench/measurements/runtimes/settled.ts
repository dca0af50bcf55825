/** Many Runtimes that are settled: a start over them, and how they are at rest. */
import { readFile } from 'node:fs/promises';
import { sleep } from '../../../../internal/framework/base/time/clock.ts';
import { sumIn } from '../../../../test/environment/metrics-page.ts';
import { servedAt } from '../../../demo/provider/provider-process.ts';
import { launchPlain, type Program } from '../../environment/programs.ts';
import {
  manageOptions,
  type Runtimes,
  type RuntimesEnvironment,
  startManager,
} from '../../environment/runtimes.ts';
import { takeProfile } from '../../measure/cpu-profile.ts';
import { inParallel } from '../../measure/in-parallel.ts';
import type { Usage } from '../../measure/measured-process.ts';
import { percentile } from '../../measure/statistics.ts';
import { count, figure } from '../../report/figures.ts';
import type { Profile, Result } from '../../report/report.ts';
import { changesOneByOne, untilPatched } from './changes.ts';
import { IDLE_P99_MS } from './life.ts';
import { meter, notesOf, REST_MS, restFigures, sumOf } from './requests.ts';

const RESTART_S = 60;
const RSS_MIB = 250;
const PROFILE_MS = 15_000;
/** Requests that check a cluster: what it is, its issuers, its administrators. */
const CHECKS = 3;

/** The largest number of Runtimes, all settled. */
export async function atScale(
  environment: RuntimesEnvironment,
  program: Program,
  population: Runtimes,
  size: number,
  names: readonly string[],
): Promise<Result> {
  const { clock, signal, print } = environment;
  print(`${count(size)} Runtimes at rest`);
  const memory: Usage = await program.collected();
  const ofRest = await meter(environment, 'provider', program);
  await sleep(clock, REST_MS, signal);
  const rest = await ofRest();
  const idle = await changesOneByOne(environment, program, population, names);
  await program.during(population.untilReady());
  const { peakRssMiB } = await program.usage();
  const of = `${count(size)} Runtimes, settled`;
  return {
    figures: [
      ...restFigures(size, rest),
      figure(`${of}: RSS after a collection`, 'MiB', memory.rssMiB, RSS_MIB),
      figure(`${of}: heap after a collection`, 'MiB', memory.heapMiB),
      figure(`${of}: largest RSS until then`, 'MiB', peakRssMiB),
      ...(idle.length === 0
        ? []
        : ([0.5, 0.95, 0.99] as const).map((share) =>
            figure(
              `${of}: change until its Shoot is patched, idle, p${share * 100}`,
              'ms',
              percentile(idle, share),
              share === 0.99 ? IDLE_P99_MS : undefined,
            ),
          )),
    ],
    notes: notesOf(`${of}, in ${REST_MS / 1000} s`, rest, size),
  };
}

/** How long the plain program takes to compare all Runtimes with their Shoots, from its launch on. */
export async function compareWithPlain(environment: RuntimesEnvironment, size: number): Promise<number> {
  const startedAt = environment.clock.monotonic();
  await using plain = await launchPlain(environment, {});
  const compared = await plain.ask<number>('compare', await manageOptions(environment));
  if (compared !== size) throw new Error(`${compared} of ${size} Runtimes were compared`);
  return (environment.clock.monotonic() - startedAt) / 1000;
}

/** Runtimes that are changed while no program runs, and the time from its launch until their Shoots are patched, in s. */
const CHANGED = 20;
const CHANGED_S = 1.5;
/** Of a pool, which no other measurement sets. */
const CHANGED_MAXIMUM = 33;

/** From the launch of a program until it has patched the Shoots of those that were changed before. */
export async function restartAfterChanges(
  environment: RuntimesEnvironment,
  population: Runtimes,
  size: number,
): Promise<Result> {
  const { clock, print } = environment;
  const changed = population.names().slice(0, CHANGED);
  print(`restart over ${count(size)} Runtimes, ${changed.length} of them changed`);
  await inParallel(changed, (name) => population.change(name, CHANGED_MAXIMUM));
  const launchedAt = clock.now();
  await using program = await startManager(environment, 'provider');
  const ends: number[] = [];
  for (const name of changed) ends.push(await program.during(untilPatched(environment, name, launchedAt)));
  await program.during(population.untilReady());
  const what = `restart over ${count(size)} Runtimes until the ${changed.length} that were changed meanwhile are patched`;
  return { figures: [figure(what, 's', (Math.max(...ends) - launchedAt) / 1000, CHANGED_S)] };
}

interface Restart {
  readonly size: number;
  /** Before the launch. */
  readonly before: {
    readonly startedAt: number;
    readonly request: number;
    readonly clusterRequests: number;
  };
  readonly plainSeconds: number;
  readonly cpuProf: boolean;
}

/** From the launch of a program on. */
export async function restartOver(
  environment: RuntimesEnvironment,
  program: Program,
  { size, before, plainSeconds, cpuProf }: Restart,
): Promise<Result> {
  const { clock, signal, print, server, clusters } = environment;
  print(`restart over ${count(size)} Runtimes`);
  const profiling: Promise<Profile> | undefined = cpuProf
    ? takeProfile(program, environment, {
        ...{ name: 'infrastructure-manager', ms: PROFILE_MS },
        title: `A restart over ${count(size)} Runtimes`,
      })
    : undefined;
  const reconciled = async () => {
    const url = servedAt(await readFile(program.logFile, 'utf8'));
    const page = await (await fetch(`${url}/metrics`)).text();
    return sumIn(page, 'controller_runtime_reconcile_total', 'controller="runtime-controller"') ?? 0;
  };
  while ((await program.during(reconciled())) < size) await sleep(clock, 250, signal);
  const sinceLaunch = () => (clock.monotonic() - before.startedAt) / 1000;
  const seconds = sinceLaunch();
  const sent = () => sumOf(clusters.requests()) - before.clusterRequests;
  while (sent() < CHECKS * size) await program.during(sleep(clock, 250, signal));
  const checkedSeconds = sinceLaunch();
  const profiles = profiling === undefined ? [] : [await profiling];
  const requests = server
    .requests({ after: before.request })
    .filter(({ query }) => query.watch === undefined);
  const { cpuMs, peakRssMiB } = await program.usage();
  const of = `restart over ${count(size)} Runtimes`;
  return {
    figures: [
      { ...figure(`${of} until each was compared`, 's', seconds, RESTART_S), plain: plainSeconds },
      figure(`${of} until the cluster of each was checked too`, 's', checkedSeconds),
      figure(`${of}: requests to Gardener, lists included`, '', requests.length),
      figure(
        `${of}: requests to clusters for each`,
        '',
        (sumOf(clusters.requests()) - before.clusterRequests) / size,
      ),
      figure(`${of}: CPU for each`, 'ms', cpuMs / size),
      figure(`${of}: largest RSS`, 'MiB', peakRssMiB),
    ],
    profiles,
  };
}
