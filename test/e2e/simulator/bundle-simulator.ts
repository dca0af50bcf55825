import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { nodeModule } from '../../../hack/bundle/node-module.ts';

const ROOT = join(import.meta.dirname, '../../..');

export type SimulatorName = 'hana-cloud' | 'service-manager';

/**
 * Bundles a simulator with its contract into a folder that any Node 24 can run, and returns its file; `main.mjs` in the
 * folder starts it too.
 */
export async function bundleSimulator(folder: string, name: SimulatorName = 'hana-cloud'): Promise<string> {
  const source = `test/simulators/${name}/main.ts`;
  const bundled = source.replace(/\.ts$/, '.mjs');
  /** Read at run time, from beside the code. */
  const contract = `internal/clients/${name}/openapi.yaml`;
  const main = join(folder, bundled);
  await build({
    ...nodeModule,
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile: main,
    logLevel: 'warning',
  });
  await mkdir(join(folder, dirname(contract)), { recursive: true });
  await copyFile(join(ROOT, contract), join(folder, contract));
  await writeFile(join(folder, 'main.mjs'), `import './${bundled}';\n`);
  return main;
}
