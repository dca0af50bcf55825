/**
 * Crossplane's provider for objects of other clusters, as a program with its CRDs. The first of these: the folder
 * `PROVIDER_KUBERNETES`, the cache, a build from Go modules.
 */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { type Clock, systemClock } from '../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../control-planes/binaries/binaries.ts';
import { fillFolder } from '../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../control-planes/binaries/go-build.ts';
import { moduleFolder } from '../control-planes/binaries/go-command.ts';
import { runTool } from './copy-image.ts';

/** As examples/composition/kyma-runtime/provider-kubernetes.yaml installs it. */
export const PROVIDER_KUBERNETES_VERSION = '1.3.1';

/** Pins what it is built from. */
const MODULE = join(import.meta.dirname, 'build/provider-kubernetes');
const GO_MODULE = 'github.com/crossplane-contrib/provider-kubernetes';

export interface ProviderKubernetes {
  /** Path of the program. */
  readonly program: string;
  /** The folder with its CRDs. */
  readonly crds: string;
}

export interface EnsureProviderKubernetesOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces Go in tests. */
  readonly build?: (folder: string) => Promise<void>;
}

/** @throws with what was tried, and the way out */
export async function ensureProviderKubernetes({
  env = process.env,
  report = () => undefined,
  clock = systemClock,
  build = buildFromModules,
}: EnsureProviderKubernetesOptions = {}): Promise<ProviderKubernetes> {
  const title = `provider-kubernetes ${PROVIDER_KUBERNETES_VERSION}`;
  if (env.PROVIDER_KUBERNETES) {
    const given = resolve(env.PROVIDER_KUBERNETES);
    if (await isComplete(given)) return partsOf(given);
    throw new Error(`cannot use PROVIDER_KUBERNETES: ${given} has no program and crds`);
  }
  const cache = resolve(cacheRoot(env), 'crossplane');
  const directory = join(cache, `provider-kubernetes-${PROVIDER_KUBERNETES_VERSION}-${process.arch}`);
  const fill = async (partial: string) => {
    report(`building ${title} from Go modules; a first build takes some minutes`);
    await build(partial).catch((cause: unknown) => {
      throw new Error(
        `cannot provide ${title}: build: ${messageOf(cause)}; set PROVIDER_KUBERNETES to a folder with the program ` +
          'program and the folder crds',
        { cause },
      );
    });
  };
  await fillFolder({ cache, directory, isComplete: () => isComplete(directory), fill, clock, report });
  return partsOf(directory);
}

const partsOf = (folder: string): ProviderKubernetes => ({
  program: join(folder, 'program'),
  crds: join(folder, 'crds'),
});

async function isComplete(folder: string): Promise<boolean> {
  const found = await Promise.all(
    Object.values(partsOf(folder)).map((path) => stat(path).catch(() => undefined)),
  );
  return found.every((each) => each !== undefined);
}

async function buildFromModules(folder: string): Promise<void> {
  const { program, crds } = partsOf(folder);
  await buildProgram({ module: MODULE, path: `${GO_MODULE}/cmd/provider`, output: program });
  await runTool('cp', ['-R', join(await moduleFolder(MODULE, GO_MODULE), 'package/crds'), crds]);
  // Files of the module cache are read-only.
  await runTool('chmod', ['-R', 'u+w', crds]);
}
