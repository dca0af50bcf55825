import { join } from 'node:path';
import { build } from 'esbuild';
import { nodeModule } from '../../bundle/node-module.ts';

/** Bundles the plain program as the provider is bundled, so that neither strips types at run time. Returns the file. */
export async function bundlePlain(directory: string): Promise<string> {
  const outfile = join(directory, 'plain.mjs');
  await build({
    ...nodeModule,
    entryPoints: [join(import.meta.dirname, 'main.ts')],
    outfile,
    logLevel: 'error',
  });
  return outfile;
}
