/**
 * Bundles the provider into `dist/provider-kyma.mjs` for Node 24, with the parts that are loaded on demand and source
 * maps beside it; with `--sbom`, its bill of materials as well; `--revision` is the commit that metrics name.
 */
import { writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle, bundleFiles } from './bundle/bundle.ts';
import { packageVersion } from './bundle/package-version.ts';
import { sbom } from './bundle/sbom.ts';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist', 'provider-kyma.mjs');
const SBOM = join(ROOT, 'dist', 'provider-kyma.cdx.json');

const { values: wanted } = parseArgs({
  options: { sbom: { type: 'boolean', default: false }, revision: { type: 'string' } },
});
const startedAt = performance.now();
const version = await packageVersion();
const metafile = await bundle({ version, revision: wanted.revision, output: OUTPUT }).catch(
  (error: unknown) => {
    // What is wrong with the code, esbuild has printed already.
    if (error instanceof Error && 'errors' in error) return undefined;
    throw error;
  },
);

if (metafile === undefined) {
  process.exitCode = 1;
} else {
  if (wanted.sbom) await writeFile(SBOM, await sbom({ metafile, root: ROOT, version }));
  const sizes = (await bundleFiles(OUTPUT)).map(({ bytes }) => bytes.length);
  const megabytes = (sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(1);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${relative(process.cwd(), OUTPUT)}: provider-kyma ${version}, ${megabytes} MB, ${seconds} s`);
}
