/** Bundles the provider into `dist/provider-kyma.mjs`, one file for Node 24, with its source map beside it. */
import { readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist', 'provider-kyma.mjs');

/** Dependencies written as CommonJS call `require`, which an ES module does not have. */
const BANNER = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";

const startedAt = performance.now();
const { version }: { version: string } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));

// What is wrong with the code, esbuild prints itself.
const result = await build({
  absWorkingDir: ROOT,
  entryPoints: ['internal/cli/main.ts'],
  outfile: OUTPUT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: { js: BANNER },
  // Only its kubeconfig loading is used; the package's entry has side effects and would bring 16 MB of models.
  alias: { '@kubernetes/client-node': './node_modules/@kubernetes/client-node/dist/config.js' },
  // Code that runs unbundled finds no such variable and says what it is.
  define: { 'process.env.PROVIDER_KYMA_VERSION': JSON.stringify(version) },
  // Not minified: it costs 2 MB of memory, and a stack trace leads to a line one can read without the map.
  legalComments: 'eof',
  sourcemap: 'linked',
  // Positions only; the sources are what the repository holds.
  sourcesContent: false,
  logLevel: 'warning',
}).catch(() => undefined);

if (result === undefined) {
  process.exitCode = 1;
} else {
  const megabytes = ((await stat(OUTPUT)).size / 1e6).toFixed(1);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${relative(process.cwd(), OUTPUT)}: provider-kyma ${version}, ${megabytes} MB, ${seconds} s`);
}
