/**
 * The `gardener-apiserver` of tests. The first of these: the variable `GARDENER_APISERVER`, the cache, a build from Go
 * modules. There is no official download: Gardener publishes container images and no binaries.
 */
import { join, resolve } from 'node:path';
import { messageOf } from '../../../internal/framework/base/errors/errors.ts';
import { type Clock, systemClock } from '../../../internal/framework/base/time/clock.ts';
import { cacheRoot } from '../binaries/binaries.ts';
import { fillFolder, isExecutable } from '../binaries/fill-folder.ts';
import { buildProgram } from '../binaries/go-build.ts';

/** The version that types and CRDs are made from, and most tests run with. To upgrade: see `build/go.mod`. */
export const GARDENER_VERSION = '1.117.5';
/** The version that the Go program of 1.41 is compiled against. To upgrade: see `build-newer/go.mod`. */
export const NEWER_GARDENER_VERSION = '1.140.1';

export type GardenerVersion = typeof GARDENER_VERSION | typeof NEWER_GARDENER_VERSION;

const NAME = 'gardener-apiserver';
const VARIABLES: Readonly<Record<GardenerVersion, string>> = {
  [GARDENER_VERSION]: 'GARDENER_APISERVER',
  [NEWER_GARDENER_VERSION]: 'NEWER_GARDENER_APISERVER',
};

/** The Go modules that pin the versions. */
const MODULES: Readonly<Record<GardenerVersion, string>> = {
  [GARDENER_VERSION]: join(import.meta.dirname, 'build'),
  [NEWER_GARDENER_VERSION]: join(import.meta.dirname, 'build-newer'),
};

export interface EnsureGardenerOptions {
  /** Default: `GARDENER_VERSION`. */
  readonly version?: GardenerVersion;
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work; never called when the binary exists. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces Go in tests. */
  readonly build?: (directory: string) => Promise<void>;
}

/** The path of the binary. Several processes may call it concurrently; one of them builds. */
export async function ensureGardener(options: EnsureGardenerOptions = {}): Promise<string> {
  const { version = GARDENER_VERSION, env = process.env, clock = systemClock } = options;
  const { report = () => undefined, build = (folder) => buildGardener(version, folder) } = options;
  const variable = VARIABLES[version];
  const given = env[variable];
  if (given) {
    const named = resolve(given);
    if (await isExecutable(named)) return named;
    throw new Error(`cannot use ${variable}: ${named} is not an executable file`);
  }
  const cache = resolve(cacheRoot(env), 'gardener');
  const directory = join(cache, `gardener-${version}-${process.platform}-${process.arch}`);
  const file = join(directory, NAME);
  const fill = async (partial: string) => {
    report(`building ${NAME} ${version} from Go modules; a first build takes about three minutes`);
    const startedAt = clock.monotonic();
    await build(partial).catch((cause: unknown) => {
      throw new Error(`cannot provide ${NAME}: build: ${messageOf(cause)}; set ${variable} to a binary`, {
        cause,
      });
    });
    if (!(await isExecutable(join(partial, NAME)))) {
      throw new Error(`cannot provide ${NAME}: no file came of it`);
    }
    report(`${NAME} is ready after ${Math.round((clock.monotonic() - startedAt) / 1000)} s`);
  };
  await fillFolder({ cache, directory, isComplete: () => isExecutable(file), fill, clock, report });
  return file;
}

/** Takes 2.5 minutes on two cores with empty caches. */
async function buildGardener(version: GardenerVersion, directory: string): Promise<void> {
  const [major = '', minor = ''] = version.split('.');
  // The server refuses to start without a version that it can parse.
  const variables = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  const linked = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  await buildProgram({
    module: MODULES[version],
    path: `github.com/gardener/gardener/cmd/${NAME}`,
    output: join(directory, NAME),
    linkerFlags: linked.join(' '),
  });
}
