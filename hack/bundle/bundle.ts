import { copyFile, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { lighterModules } from './lighter-modules.ts';
import { mergeChunks } from './merge-chunks.ts';
import { buildDefines, inOneByte, nodeModule, programModule } from './node-module.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface BundleOptions {
  /** Printed by `provider-kyma --version`. */
  readonly version: string;
  /** Commit of the sources, for metrics. Default: unknown. */
  readonly revision?: string | undefined;
  /** The file to write, in a folder that need not exist; its source map gets `.map` behind. */
  readonly output: string;
  /**
   * Whether code that is loaded on demand is written into files of its own, in the folder `PARTS` beside `output`. Node
   * keeps the source of each loaded file in memory, so a process then pays only for what it uses. Default true.
   */
  readonly parts?: boolean;
}

/** Folder of the parts, beside the file that imports them. */
export const PARTS = 'provider-kyma-parts';

/** Files of the embedded database, which its code reads from its own folder: Postgres as WebAssembly, and its catalog. */
const DATABASE_FOLDER = 'node_modules/@electric-sql/pglite/dist';
const DATABASE_FILES = ['initdb.wasm', 'pglite.data', 'pglite.wasm'];

/** Of `provider-kyma start`. */
const START = 'internal/program/start/start.ts';
const MODULES = [
  'internal/systems/inventory/config/config.ts',
  'internal/systems/inventory/inventory.ts',
  'internal/systems/btp/btp.ts',
  'internal/systems/infrastructure-manager/infrastructure-manager.ts',
  'internal/systems/reconciler/kyma-cluster/reconciler.ts',
];

/** The page for operators: its script is bundled for browsers, the rest is copied. */
const PAGE_FOLDER = 'internal/systems/reconciler/mothership/page/browser';
const PAGE_FILES = ['page.html', 'page.css'];

/** A file of a bundle, its name relative to the folder of the bundle. */
export interface BundleFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** What has to lie in one folder for a bundle to run: the file itself and its parts. */
export async function bundleFiles(output: string): Promise<BundleFile[]> {
  const folder = dirname(output);
  const names: string[] = [];
  for await (const name of glob(`${PARTS}/*.{mjs,wasm,data,html,css,js}`, { cwd: folder })) names.push(name);
  return Promise.all(
    [basename(output), ...names.sort()].map(async (name) => ({
      name,
      bytes: await readFile(join(folder, name)),
    })),
  );
}

/**
 * Bundles the provider for Node 24, with source maps. Returns what went into it, with paths relative to the repository.
 * What is wrong with the code, esbuild prints itself before this throws.
 */
export async function bundle({
  version,
  revision = '',
  output,
  parts = true,
}: BundleOptions): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    ...nodeModule,
    ...programModule,
    absWorkingDir: ROOT,
    entryPoints: ['internal/program/main.ts'],
    outdir: dirname(output),
    outExtension: { '.js': '.mjs' },
    entryNames: basename(output, '.mjs'),
    chunkNames: `${PARTS}/[name]-[hash]`,
    splitting: parts,
    plugins: lighterModules,
    define: buildDefines(version, revision),
    write: false,
  });
  // Their names depend on their content: those of an earlier build would stay.
  await rm(join(dirname(output), PARTS), { recursive: true, force: true });
  for (const { path, text } of outputFiles) {
    // Since esbuild writes nothing itself, it makes no folder either.
    await mkdir(dirname(path), { recursive: true });
    const isCode = path.endsWith('.mjs');
    await writeFile(path, isCode ? inOneByte(text) : text, { mode: path === output ? 0o755 : 0o644 });
  }
  if (parts) {
    await mergeChunks({ output, metafile, root: ROOT, parts: PARTS, start: START, modules: MODULES });
    const folder = join(dirname(output), PARTS);
    await mkdir(folder, { recursive: true });
    for (const name of DATABASE_FILES) {
      await copyFile(join(ROOT, DATABASE_FOLDER, name), join(folder, name));
    }
    for (const name of PAGE_FILES) await copyFile(join(ROOT, PAGE_FOLDER, name), join(folder, name));
    await bundlePage(join(folder, 'page.js'));
  }
  return metafile;
}

async function bundlePage(outfile: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: [`${PAGE_FOLDER}/main.ts`],
    outfile,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    // A browser without a cache gets and reads half as much.
    minify: true,
    logLevel: 'warning',
  });
}
