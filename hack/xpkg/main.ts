/**
 * Builds the Crossplane package (`make xpkg`) without Docker. `--runtime-image` embeds an image that package/Dockerfile
 * made; `--base-image` makes that image of one with Node and of the bundle. Each may be given once a platform.
 */
import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../../internal/base/errors.ts';
import { packageVersion } from '../bundle/package-version.ts';
import { buildPackage } from './build-package.ts';
import { readImages } from './read-images.ts';
import { runtimeImage } from './runtime-image.ts';

const ROOT = join(import.meta.dirname, '../..');

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      'runtime-image': { type: 'string', multiple: true, default: [] },
      'base-image': { type: 'string', multiple: true, default: [] },
      bundle: { type: 'string', default: join(ROOT, 'dist/provider-kyma.mjs') },
      version: { type: 'string' },
      source: { type: 'string' },
      revision: { type: 'string' },
      output: { type: 'string', default: join(ROOT, 'dist') },
    },
  });
  const { 'runtime-image': runtimePaths, 'base-image': basePaths, bundle, output, source, revision } = values;
  if (runtimePaths.length > 0 && basePaths.length > 0) {
    throw new Error('give either --runtime-image or --base-image');
  }
  const paths = [...runtimePaths, ...basePaths];
  let runtimes = paths.length > 0 ? await readImages(paths) : [];
  if (basePaths.length > 0) {
    const bytes = await readFile(bundle);
    runtimes = await Promise.all(runtimes.map((base) => runtimeImage(base, bytes)));
  }
  const built = await buildPackage({
    root: ROOT,
    output,
    version: values.version ?? (await packageVersion()),
    runtimes,
    source,
    revision,
  });
  for (const file of [built.packageYaml, ...built.archives]) {
    console.log(`${relative(process.cwd(), file)}: ${((await stat(file)).size / 1e6).toFixed(2)} MB`);
  }
  console.log(`${relative(process.cwd(), built.layout)}: OCI layout`);
  if (runtimes.length === 0)
    console.log('no runtime image is embedded: Crossplane can install it, no node start it');
}

try {
  await main();
} catch (error) {
  console.error(`xpkg: ${messageOf(error)}`);
  process.exitCode = 1;
}
