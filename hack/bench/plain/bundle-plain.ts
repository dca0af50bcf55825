import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles the plain program as the provider is bundled, so that neither pays for stripping types. Returns the file.
 */
export async function bundlePlain(directory: string): Promise<string> {
  const outfile = join(directory, 'plain.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  return outfile;
}
