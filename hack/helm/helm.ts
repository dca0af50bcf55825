/**
 * The `helm` that tests of the chart run, in both major versions. The first of these: the variable `HELM` (for Helm 4), or
 * `HELM3`; one of the major version on PATH; the cache; the official download, checked against its published checksum; a
 * build from Go modules.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Clock, systemClock } from '../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../control-planes/binaries/binaries.ts';
import { downloadRelease, type NamedRelease } from '../control-planes/binaries/download.ts';
import { downloadOrBuild } from '../control-planes/binaries/download-or-build.ts';
import { fillFolder, isExecutable } from '../control-planes/binaries/fill-folder.ts';
import { buildProgram } from '../control-planes/binaries/go-build.ts';

/** To upgrade: change one, and run `go get -tool helm.sh/helm/v<major>/cmd/helm@v<version>` and `go mod tidy` in `build`. */
export const HELM_VERSIONS = { 3: '3.22.0', 4: '4.3.1' } as const;

export type HelmMajor = keyof typeof HELM_VERSIONS;

export const HELM_MAJORS: readonly HelmMajor[] = [3, 4];

/** The Go module that pins the versions. */
const MODULE = join(import.meta.dirname, 'build');

export interface EnsureHelmOptions {
  /** Default 4. */
  readonly major?: HelmMajor;
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces the network in tests. */
  readonly download?: (directory: string) => Promise<void>;
  /** Replaces Go in tests. */
  readonly build?: (directory: string) => Promise<void>;
}

/** The path of the binary. Several processes may call it concurrently. */
export async function ensureHelm(options: EnsureHelmOptions = {}): Promise<string> {
  const { major = 4, env = process.env, clock = systemClock, report = () => undefined } = options;
  const variable = variableFor(major);
  const given = env[variable];
  if (given) {
    const named = resolve(given);
    if (await isExecutable(named)) return named;
    throw new Error(`cannot use ${variable}: ${named} is not an executable file`);
  }
  const installed = await onPath(major, env);
  if (installed !== undefined) return installed;
  const cache = resolve(cacheRoot(env), 'helm');
  const directory = join(cache, `helm-${HELM_VERSIONS[major]}-${process.platform}-${process.arch}`);
  const file = join(directory, 'helm');
  await fillFolder({
    cache,
    directory,
    isComplete: () => isExecutable(file),
    fill: (partial) => provide(partial, { ...options, major, report }),
    clock,
    report,
  });
  return file;
}

const variableFor = (major: HelmMajor) => (major === 4 ? 'HELM' : `HELM${major}`);

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

async function provide(
  directory: string,
  options: EnsureHelmOptions & Required<Pick<EnsureHelmOptions, 'major' | 'report'>>,
): Promise<void> {
  const { major } = options;
  const download =
    options.download ?? ((into) => downloadRelease(release(major), into, { report: options.report }));
  const build = options.build ?? ((into) => buildHelm(major, into));
  await downloadOrBuild({
    title: 'helm',
    download: () => download(directory),
    onNoDownload: (reason) =>
      options.report(`no download of helm ${HELM_VERSIONS[major]}: ${reason}; building it from Go modules`),
    build: () => build(directory),
    wayOut: `set ${variableFor(major)} to a binary`,
  });
  if (!(await isExecutable(join(directory, 'helm'))))
    throw new Error('cannot provide helm: no file came of it');
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
