import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { downloadRelease, type NamedRelease } from '../control-planes/binaries/download.ts';
import {
  type EnsureOptions,
  ensureProgram,
  MACHINE,
  type Program,
} from '../control-planes/binaries/ensure-program.ts';
import { executable, isExecutable } from '../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../control-planes/binaries/go-build.ts';

/** To upgrade: change one, and run `go get -tool helm.sh/helm/v<major>/cmd/helm@v<version>` and `go mod tidy` in `build`. */
export const HELM_VERSIONS = { 3: '3.22.0', 4: '4.3.1' } as const;

export type HelmMajor = keyof typeof HELM_VERSIONS;

export const HELM_MAJORS: readonly HelmMajor[] = [3, 4];

/** The Go module that pins the versions. */
const MODULE = join(import.meta.dirname, 'build');

/** Both major versions: one on PATH is used if it is of the same. */
export const helm = (major: HelmMajor): Program<string> => ({
  title: `helm ${HELM_VERSIONS[major]}`,
  variable: major === 4 ? 'HELM' : `HELM${major}`,
  own: 'an executable file',
  atPath: executable,
  installed: (env) => onPath(major, env),
  cache: ['helm', `helm-${HELM_VERSIONS[major]}-${MACHINE}`],
  inFolder: (folder) => executable(join(folder, 'helm')),
  download: (folder, report) => downloadRelease(release(major), folder, { report }),
  build: (folder) => buildHelm(major, folder),
});

/** @param options.major default 4 */
export const ensureHelm = ({
  major = 4,
  ...options
}: EnsureOptions & { readonly major?: HelmMajor } = {}): Promise<string> =>
  ensureProgram(helm(major), options);

/** Other major versions have other commands and messages. */
async function onPath(major: HelmMajor, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(':')) {
    const file = join(folder, 'helm');
    if (folder === '' || !(await isExecutable(file))) continue;
    const found = await promisify(execFile)(file, ['version', '--template={{.Version}}'], { env }).catch(
      () => ({ stdout: '' }),
    );
    return found.stdout.startsWith(`v${major}.`) ? file : undefined;
  }
  return undefined;
}

function release(major: HelmMajor): NamedRelease {
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (arch === undefined) throw new Error(`no official helm for ${process.arch}`);
  const url = `https://get.helm.sh/helm-v${HELM_VERSIONS[major]}-${process.platform}-${arch}.tar.gz`;
  return {
    name: 'helm',
    description: `helm ${HELM_VERSIONS[major]}`,
    url,
    checksumUrl: `${url}.sha256sum`,
    member: `${process.platform}-${arch}/helm`,
  };
}

/** Takes about a minute on two cores with empty caches. */
async function buildHelm(major: HelmMajor, directory: string): Promise<void> {
  const module = `helm.sh/helm/v${major}`;
  const values = [`internal/version.version=v${HELM_VERSIONS[major]}`];
  // The Kubernetes version of `helm template`; later versions take it from the build.
  if (major === 3) {
    const [, minor] =
      /k8s\.io\/client-go v0\.(\d+)/.exec(await readFile(join(MODULE, 'go.mod'), 'utf8')) ?? [];
    for (const path of ['pkg/chartutil', 'pkg/lint/rules'])
      values.push(`${path}.k8sVersionMajor=1`, `${path}.k8sVersionMinor=${minor}`);
  }
  await buildProgram({
    module: MODULE,
    path: `${module}/cmd/helm`,
    output: join(directory, 'helm'),
    linkerFlags: values.map((value) => `-X ${module}/${value}`).join(' '),
  });
}
