import { join } from 'node:path';
import { type EnsureOptions, ensureProgram, MACHINE, type Program } from '../binaries/ensure-program.ts';
import { executable } from '../binaries/fill-folder.ts';
import { buildProgram } from '../binaries/go-build.ts';

/** The version that types and CRDs are made from, and most tests run with. To upgrade: see `build/go.mod`. */
export const GARDENER_VERSION = '1.117.5';
/** The version that the Go program of 1.41 is compiled against. To upgrade: see `build-newer/go.mod`. */
export const NEWER_GARDENER_VERSION = '1.140.1';

export type GardenerVersion = typeof GARDENER_VERSION | typeof NEWER_GARDENER_VERSION;

const NAME = 'gardener-apiserver';

/** The variable, and the Go module that pins the version. */
const VERSIONS: Readonly<Record<GardenerVersion, readonly [variable: string, module: string]>> = {
  [GARDENER_VERSION]: ['GARDENER_APISERVER', 'build'],
  [NEWER_GARDENER_VERSION]: ['NEWER_GARDENER_APISERVER', 'build-newer'],
};

/** There is no official download: Gardener publishes container images and no binaries. */
export const gardener = (version: GardenerVersion = GARDENER_VERSION): Program<string> => ({
  title: `${NAME} ${version}`,
  variable: VERSIONS[version][0],
  own: 'an executable file',
  atPath: executable,
  cache: ['gardener', `gardener-${version}-${MACHINE}`],
  inFolder: (folder) => executable(join(folder, NAME)),
  // Takes 2.5 minutes on two cores with empty caches.
  build: async (folder) => {
    const [major = '', minor = ''] = version.split('.');
    // The server refuses to start without a version that it can parse.
    const variables = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
    const linked = Object.entries(variables).map(
      ([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`,
    );
    await buildProgram({
      module: join(import.meta.dirname, VERSIONS[version][1]),
      path: `github.com/gardener/gardener/cmd/${NAME}`,
      output: join(folder, NAME),
      linkerFlags: linked.join(' '),
    });
  },
});

export const ensureGardener = ({
  version,
  ...options
}: EnsureOptions & { readonly version?: GardenerVersion } = {}): Promise<string> =>
  ensureProgram(gardener(version), options);
