/**
 * Builds the Crossplane package (`make xpkg`) without Docker. `--runtime-image` embeds an image that package/Dockerfile
 * made; `--base-image` makes that image of one with Node and of the bundle.
 */
import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../internal/framework/base/errors/errors.ts';
import { bundleFiles } from '../bundle/bundle.ts';
import { packageVersion } from '../bundle/package-version.ts';
import { buildPackage } from './build-package.ts';
import { chooseRuntimes, runtimeFlags } from './choose-runtimes.ts';
import { ownPackage, ownProgram } from './own-program.ts';

const ROOT = join(import.meta.dirname, '../..');

try {
  const { values } = parseArgs({
    options: {
      ...runtimeFlags,
      bundle: { type: 'string', default: join(ROOT, 'dist/provider-kyma.mjs') },
      version: { type: 'string' },
      source: { type: 'string' },
      revision: { type: 'string' },
      output: { type: 'string', default: join(ROOT, 'dist') },
    },
  });
  const { bundle, output, source, revision, version = await packageVersion() } = values;
  const runtimes = await chooseRuntimes(values, async () => ownProgram(await bundleFiles(bundle)));
  const built = await buildPackage({
    root: ROOT,
    package: ownPackage,
    output,
    version,
    runtimes,
    source,
    revision,
  });
  for (const file of [built.packageYaml, ...built.archives]) {
    console.log(`${relative(process.cwd(), file)}: ${((await stat(file)).size / 1e6).toFixed(2)} MB`);
  }
  console.log(`${relative(process.cwd(), built.layout)}: OCI layout`);
  if (runtimes.length === 0) {
    console.log('no runtime image is embedded: Crossplane can install it, no node start it');
  }
} catch (error) {
  console.error(`xpkg: ${messageOf(error)}`);
  process.exitCode = 1;
}
