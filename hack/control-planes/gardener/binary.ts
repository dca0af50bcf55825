/**
 * The `gardener-apiserver` of tests. The first of these: the variable `GARDENER_APISERVER`, the cache, a build from Go
 * modules. There is no official download: Gardener publishes container images and no binaries.
 */
import { join, resolve } from 'node:path';
import { messageOf } from '../../../internal/base/errors/errors.ts';
import { type Clock, systemClock } from '../../../internal/base/time/clock.ts';
import { cacheRoot } from '../binaries/binaries.ts';
import { fillFolder, isExecutable } from '../binaries/fill-folder.ts';
import { buildProgram } from '../binaries/go-build.ts';

/** The version that the Go program of the infrastructure manager is compiled against. To upgrade: see `build/go.mod`. */
export const GARDENER_VERSION = '1.117.5';

const NAME = 'gardener-apiserver';
const VARIABLE = 'GARDENER_APISERVER';

/** The Go module that pins the version. */
const MODULE = join(import.meta.dirname, 'build');

export interface EnsureGardenerOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** Called with progress of long work; never called when the binary exists. */
  readonly report?: (line: string) => void;
  readonly clock?: Clock;
  /** Replaces Go in tests. */
  readonly build?: (directory: string) => Promise<void>;
}

/** The path of the binary. Several processes may call it concurrently; one of them builds. */
export async function ensureGardener(options: EnsureGardenerOptions = {}): Promise<string> {
  const { env = process.env, clock = systemClock, report = () => undefined, build = buildGardener } = options;
  const given = env[VARIABLE];
  if (given) {
    const named = resolve(given);
    if (await isExecutable(named)) return named;
    throw new Error(`cannot use ${VARIABLE}: ${named} is not an executable file`);
  }
  const cache = resolve(cacheRoot(env), 'gardener');
  const directory = join(cache, `gardener-${GARDENER_VERSION}-${process.platform}-${process.arch}`);
  const file = join(directory, NAME);
  const fill = async (partial: string) => {
    report(`building ${NAME} ${GARDENER_VERSION} from Go modules; a first build takes about three minutes`);
    const startedAt = clock.monotonic();
    await build(partial).catch((cause: unknown) => {
      throw new Error(`cannot provide ${NAME}: build: ${messageOf(cause)}; set ${VARIABLE} to a binary`, {
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
async function buildGardener(directory: string): Promise<void> {
  const [major = '', minor = ''] = GARDENER_VERSION.split('.');
  // The server refuses to start without a version that it can parse.
  const variables = { gitVersion: `v${GARDENER_VERSION}`, gitMajor: major, gitMinor: minor };
  const linked = Object.entries(variables).map(
    ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
  );
  await buildProgram({
    module: MODULE,
    path: `github.com/gardener/gardener/cmd/${NAME}`,
    output: join(directory, NAME),
    linkerFlags: linked.join(' '),
  });
}
