import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';
import { nodeModule } from './node-module.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface BundleOptions {
  /** What `provider-kyma --version` says. */
  readonly version: string;
  /** The file to write, in a folder that need not exist; its source map gets `.map` behind. */
  readonly output: string;
}

/**
 * Bundles the provider into one file for Node 24, with its source map beside it. Returns what went into it, with paths
 * relative to the repository. What is wrong with the code, esbuild prints itself before this throws.
 */
export async function bundle({ version, output }: BundleOptions): Promise<Metafile> {
  const { metafile, outputFiles } = await build({
    ...nodeModule,
    absWorkingDir: ROOT,
    entryPoints: ['internal/cli/main.ts'],
    outfile: output,
    metafile: true,
    // Only its kubeconfig loading is used; the package's entry has side effects and would bring 16 MB of code.
    plugins: [withoutModels],
    alias: { '@kubernetes/client-node': './node_modules/@kubernetes/client-node/dist/config.js' },
    // Code that runs unbundled finds no such variable and says what it is.
    define: { 'process.env.PROVIDER_KYMA_VERSION': JSON.stringify(version) },
    // Not minified: it costs 2 MB of memory, and a stack trace leads to a line one can read without the map.
    legalComments: 'eof',
    sourcemap: 'linked',
    // Positions only; the sources are what the repository holds.
    sourcesContent: false,
    logLevel: 'warning',
    write: false,
  });
  // Since esbuild writes nothing itself, it makes no folder either.
  await mkdir(dirname(output), { recursive: true });
  for (const { path, text } of outputFiles) {
    if (path === output) await writeFile(path, inOneByte(text), { mode: 0o755 });
    else await writeFile(path, text);
  }
  return metafile;
}

/**
 * client-node's KubeConfig can also make clients of its own, for which it imports the models of every API: 1 MB of code,
 * for which a process pays 3 MB of memory even if it is never run. Nobody here asks for such clients.
 */
const withoutModels: Plugin = {
  name: 'without-models',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer, path }) =>
      /client-node\/dist\/config\.js$/.test(importer) ? { path, namespace: 'without-models' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'without-models' }, () => ({
      contents: 'export const createConfiguration = undefined; export const ServerConfiguration = undefined;',
    }));
  },
};

/**
 * One character beyond Latin-1 makes V8 hold the whole source with two bytes for each: 4 MB for a few typographic quotes.
 * esbuild escapes them in code, so those that are left stand in comments. The length stays, for the source map.
 */
function inOneByte(source: string): string {
  return source.replace(/\P{ASCII}/gu, (character) => '?'.repeat(character.length));
}
