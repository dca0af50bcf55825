/** Runtimes with a simulated Gardener and their clusters, for the measurement of the infrastructure manager. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Runtime,
  runtimes,
} from '../../../apis/infrastructuremanager.kyma-project.io/v1/runtime.gen.ts';
import { collectionPath, objectPath } from '../../../internal/framework/kube/client/resource-path.ts';
import { pool, runtimeOf, zonesOf } from '../../../test/contract/gardener/rendering/choices.ts';
import { writeConverterFiles } from '../../../test/contract/gardener/rendering/converter-files.ts';
import { infrastructureManagerCrds, installCrds } from '../../../test/environment/install-crds.ts';
import {
  type GardenerServer,
  serveGardener,
} from '../../../test/simulators/gardener/server/gardener-server.ts';
import {
  type RuntimeClusters,
  serveRuntimeClusters,
} from '../../../test/simulators/gardener/server/runtime-clusters.ts';
import { startSimulatedGardener } from '../../../test/simulators/gardener/simulated-gardener.ts';
import { inParallel, range } from '../measure/in-parallel.ts';
import type { ManageOptions } from '../plain/plain-manager.ts';
import { type BenchEnvironment, endpointOf, type Requester } from './environment.ts';
import { put, putNamespaces } from './population.ts';
import { type Program, startPlain, startProvider } from './programs.ts';
import { type SettledEnvironment, storeSettled } from './settled-runtimes.ts';
import { watchObjects } from './watched-objects.ts';

const TIMEOUT_MS = 900_000;
/** As many as the program has by default. */
const WORKERS = 25;
const ZONES = zonesOf('aws').slice(0, 3);

/** A project of Gardener with a namespace of Runtimes, for one program. */
export interface RuntimesEnvironment extends BenchEnvironment, SettledEnvironment, AsyncDisposable {
  readonly server: GardenerServer;
  readonly flags: readonly string[];
}

/** @param project without `garden-` */
export async function openRuntimes(
  environment: BenchEnvironment,
  project: string,
): Promise<RuntimesEnvironment> {
  const { clock, management, planes } = environment;
  const directory = join(environment.directory, project);
  await mkdir(directory);
  const namespace = `runtimes-${project}`;
  await installCrds(planes.management, await infrastructureManagerCrds());
  await putNamespaces(management, [namespace]);
  let clusters: RuntimeClusters | undefined;
  const gardener = await startSimulatedGardener({
    ...{ clock, project },
    userOf: ({ metadata }) => metadata.name,
    apiServerOf: () => {
      if (clusters === undefined) throw new Error('there are no runtime clusters yet');
      return clusters;
    },
  });
  clusters = await serveRuntimeClusters(clock, gardener.authority.certificate);
  const running = clusters;
  const server = await serveGardener(gardener);
  const kubeconfig = join(directory, 'gardener.kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const flags = Object.entries({
    controllers: 'infrastructure-manager',
    'runtime-namespace': namespace,
    'gardener-kubeconfig-path': kubeconfig,
    'gardener-project-name': project,
    'converter-config-filepath': await writeConverterFiles(directory, project),
    'audit-log-mandatory': 'false',
    // Of the reports of the machine, not of the program: it is shared with the simulators.
    'gardener-request-timeout': '60s',
  }).map(([flag, value]) => `--${flag}=${value}`);
  return {
    ...{ ...environment, namespace, gardener, server, clusters: running, flags },
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      await gardener.stop();
      await running.stop();
    },
  };
}

/** One of the programs. */
export async function startManager(environment: RuntimesEnvironment, requester: Requester): Promise<Program> {
  if (requester === 'provider') return startProvider(environment, { flags: environment.flags });
  return startPlain(environment, 'manage', await manageOptions(environment));
}

export async function manageOptions(environment: RuntimesEnvironment): Promise<ManageOptions> {
  const { kubeconfigs, server, namespace, gardener } = environment;
  return {
    ...{ namespace, project: gardener.project, workers: WORKERS },
    management: await endpointOf(kubeconfigs.plain.management),
    gardener: await endpointOf(server.kubeconfig),
  };
}

const providerOf = (name: string, maximum: number) =>
  runtimeOf('aws', name, [pool('aws', ZONES, { maximum })]).spec?.shoot.provider;

/** Sends once more what the API server of a machine with other work did not answer in time. */
async function patiently(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    if (!String(error).includes(': 504 ')) throw error;
    await send().catch((again: unknown) => {
      if (!String(again).includes(': 409 ')) throw again;
    });
  }
}

const isReady = ({ status }: Runtime): boolean => status?.state === 'Ready';

/** Runtimes of one environment, as a watch reports them. */
export interface Runtimes extends Disposable {
  /** Of all, in the order in which they were made. */
  names(): readonly string[];
  /** Creates so many, 32 at a time. Returns their names. */
  create(count: number): Promise<readonly string[]>;
  /** Stores so many as they are when they are Ready, without a program. Returns their names. */
  settle(count: number): Promise<readonly string[]>;
  /** Changes the worker pool of one. */
  change(name: string, maximum: number): Promise<void>;
  /** Resolves when all are Ready, and their Shoots have no change left. */
  untilReady(): Promise<void>;
  /** When each was Ready for the first time, by the clock's monotonic time in ms. */
  readonly readyAt: ReadonlyMap<string, number>;
}

export function openPopulation(environment: RuntimesEnvironment): Runtimes {
  const { management, namespace, gardener } = environment;
  const expected = new Set<string>();
  const watched = watchObjects<Runtime>(environment, collectionPath(runtimes, namespace), isReady);
  const { objects, readyAt } = watched;
  const added = (count: number) => {
    const names = range(count).map((index) => `r${expected.size + index}`);
    for (const name of names) expected.add(name);
    return names;
  };
  const manifestOf = (name: string): Runtime => {
    const { metadata, ...rest } = runtimeOf('aws', name, [pool('aws', ZONES)]);
    return { ...rest, metadata: { ...metadata, namespace } };
  };
  return {
    readyAt,
    names: () => [...expected],
    create: async (count) => {
      const names = added(count);
      await inParallel(names, (name) => patiently(() => put(management, runtimes, manifestOf(name))));
      return names;
    },
    settle: async (count) => {
      const names = added(count);
      await storeSettled(environment, names.map(manifestOf));
      return names;
    },
    change: async (name, maximum) => {
      await patiently(() =>
        management.send({
          method: 'PATCH',
          path: objectPath(runtimes, { namespace, name }),
          headers: { 'content-type': 'application/merge-patch+json' },
          body: { spec: { shoot: { provider: providerOf(name, maximum) } } },
        }),
      );
    },
    untilReady: () =>
      watched.until(() => {
        if (gardener.errors.length > 0) throw gardener.errors[0];
        const other = [...expected].find((name) => {
          const runtime = objects.get(name);
          return runtime === undefined || !isReady(runtime);
        });
        return other && `Runtime ${other} is ${objects.get(other)?.status?.state}`;
      }, TIMEOUT_MS),
    [Symbol.dispose]: () => watched[Symbol.dispose](),
  };
}
