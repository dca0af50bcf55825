/**
 * The `helm` that tests of the chart run. The first of these: the variable `HELM`; a Helm 4 on PATH; the cache; the
 * official download, checked against its published checksum; a build from Go modules.
 */
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { messageOf } from '../../internal/base/errors/errors.ts';
import { type Clock, systemClock } from '../../internal/base/time/clock.ts';
import { cacheRoot } from '../control-planes/binaries/binaries.ts';
import { withCacheLock } from '../control-planes/binaries/cache-lock.ts';
import { downloadRelease, type NamedRelease } from '../control-planes/binaries/download.ts';
import { fillFolder, isExecutable } from '../control-planes/binaries/fill-folder.ts';
import { runGo } from '../control-planes/binaries/go-command.ts';

/** To upgrade: change it, and run `go get -tool helm.sh/helm/v4/cmd/helm@v<version>` and `go mod tidy` in `build`. */
export const HELM_VERSION = '4.3.1';

/** The Go module that pins the version. */
const MODULE = join(import.meta.dirname, 'build');

export interface EnsureHelmOptions {
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
  const { env = process.env, clock = systemClock, report = () => undefined } = options;
  if (env.HELM) {
    const named = resolve(env.HELM);
    if (await isExecutable(named)) return named;
    throw new Error(`cannot use HELM: ${named} is not an executable file`);
  }
  const installed = await onPath(env);
  if (installed !== undefined) return installed;
  const cache = resolve(cacheRoot(env), 'helm');
  const directory = join(cache, `helm-${HELM_VERSION}-${process.platform}-${process.arch}`);
  const file = join(directory, 'helm');
  const isComplete = () => isExecutable(file);
  if (await isComplete()) return file;
  await mkdir(cache, { recursive: true });
  const onWait = () => report(`waiting for another process that fills ${directory}`);
  await withCacheLock({ path: `${directory}.lock`, clock, onWait }, async () => {
    if (await isComplete()) return;
    const fill = (partial: string) => provide(partial, { ...options, clock, report });
    await fillFolder({ cache, directory, isComplete, fill });
  });
  return file;
}

/** A Helm of the same major version. Others have other commands and messages. */
async function onPath(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(':')) {
    const file = join(folder, 'helm');
    if (folder === '' || !(await isExecutable(file))) continue;
    const found = await promisify(execFile)(file, ['version', '--template={{.Version}}'], { env }).catch(
      () => ({ stdout: '' }),
    );
    return found.stdout.startsWith(`v${HELM_VERSION.split('.')[0]}.`) ? file : undefined;
  }
  return undefined;
}

async function provide(
  directory: string,
  options: EnsureHelmOptions & { readonly clock: Clock; readonly report: (line: string) => void },
): Promise<void> {
  const download = options.download ?? ((into) => downloadRelease(release(), into, options));
  const build = options.build ?? buildHelm;
  try {
    await download(directory);
  } catch (error) {
    options.report(`no download of helm ${HELM_VERSION}: ${messageOf(error)}; building it from Go modules`);
    await build(directory).catch((cause: unknown) => {
      throw new Error(
        `cannot provide helm: download: ${messageOf(error)}; build: ${messageOf(cause)}; set HELM to a binary`,
        { cause },
      );
    });
  }
  if (!(await isExecutable(join(directory, 'helm'))))
    throw new Error('cannot provide helm: no file came of it');
}

function release(): NamedRelease {
  const arch = { x64: 'amd64', arm64: 'arm64' }[process.arch as string];
  if (arch === undefined) throw new Error(`no official helm for ${process.arch}`);
  const url = `https://get.helm.sh/helm-v${HELM_VERSION}-${process.platform}-${arch}.tar.gz`;
  return {
    name: 'helm',
    description: `helm ${HELM_VERSION}`,
    url,
    checksumUrl: `${url}.sha256sum`,
    member: `${process.platform}-${arch}/helm`,
  };
}

/** Takes about a minute on two cores with empty caches. */
async function buildHelm(directory: string): Promise<void> {
  const version = `-X helm.sh/helm/v4/internal/version.version=v${HELM_VERSION}`;
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', `-ldflags=-s -w ${version}`];
  await runGo(MODULE, ['build', ...flags, '-o', join(directory, 'helm'), 'helm.sh/helm/v4/cmd/helm']);
}
