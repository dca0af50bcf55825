import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type EnsureOptions,
  ensureProgram,
  type Program,
} from '../control-planes/binaries/ensure-program.ts';
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

const partsOf = (folder: string): ProviderKubernetes => ({
  program: join(folder, 'program'),
  crds: join(folder, 'crds'),
});

/** Crossplane's provider for objects of other clusters, as a program with its CRDs; there is no download of these. */
export const PROVIDER_KUBERNETES: Program<ProviderKubernetes> = {
  title: `provider-kubernetes ${PROVIDER_KUBERNETES_VERSION}`,
  variable: 'PROVIDER_KUBERNETES',
  own: 'a folder with the program program and the folder crds',
  cache: ['crossplane', `provider-kubernetes-${PROVIDER_KUBERNETES_VERSION}-${process.arch}`],
  inFolder: async (folder) => {
    const parts = partsOf(folder);
    const found = await Promise.all(Object.values(parts).map((path) => stat(path).catch(() => undefined)));
    return found.every((each) => each !== undefined) ? parts : undefined;
  },
  build: buildFromModules,
};

export const ensureProviderKubernetes = (options?: EnsureOptions): Promise<ProviderKubernetes> =>
  ensureProgram(PROVIDER_KUBERNETES, options);

async function buildFromModules(folder: string): Promise<void> {
  const { program, crds } = partsOf(folder);
  await buildProgram({ module: MODULE, path: `${GO_MODULE}/cmd/provider`, output: program });
  await runTool('cp', ['-R', join(await moduleFolder(MODULE, GO_MODULE), 'package/crds'), crds]);
  // Files of the module cache are read-only.
  await runTool('chmod', ['-R', 'u+w', crds]);
}
