import { access, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import { lighterModulesBelow } from '../../bundle/lighter-modules.ts';
import { buildDefines, inOneByte, nodeModule, programModule } from '../../bundle/node-module.ts';
import { KitError } from '../kit-command.ts';

export interface BundleProviderOptions {
  /** Folder of the project. */
  readonly root: string;
  /** The program, relative to it. */
  readonly entry: string;
  /** The file to write, in a folder that exists; its source map gets `.map` behind. */
  readonly output: string;
  readonly version: string;
  /** Commit of the sources. Default: unknown. */
  readonly revision?: string | undefined;
}

/**
 * Bundles a provider and all that it imports into one module for Node 24. Returns what went into it, with paths relative to `root`.
 * What is wrong with the code, esbuild prints itself before this throws.
 */
export async function bundleProvider({
  root,
  entry,
  output,
  version,
  revision = '',
}: BundleProviderOptions): Promise<Metafile> {
  const { build } = await loadEsbuild();
  await access(join(root, entry)).catch(() => {
    throw new KitError(`cannot bundle: there is no ${entry}; --entry names the program`);
  });
  const isOwn = (file: string) => file.startsWith(root + sep) && !file.includes(`${sep}node_modules${sep}`);
  const { metafile, outputFiles } = await build({
    ...nodeModule,
    ...programModule,
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: output,
    plugins: lighterModulesBelow(isOwn),
    define: buildDefines(version, revision),
    write: false,
  }).catch((error: unknown) => {
    if (error instanceof Error && 'errors' in error)
      throw new KitError(`cannot bundle ${entry}`, { cause: error });
    throw error;
  });
  for (const { path, text } of outputFiles)
    await writeFile(path, path.endsWith('.mjs') ? inOneByte(text) : text);
  return metafile;
}

/** A dependency of developers, which the library does not bring. */
async function loadEsbuild(): Promise<typeof import('esbuild')> {
  try {
    return await import('esbuild');
  } catch (error) {
    throw new KitError('cannot bundle: esbuild is not installed; run `npm install --save-dev esbuild`', {
      cause: error,
    });
  }
}
