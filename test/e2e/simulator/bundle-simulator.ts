import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { nodeModule } from '../../../hack/bundle/node-module.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** Programs by their name, with the systems that each simulates. */
const SIMULATORS = {
  'hana-cloud': { source: 'test/simulators/hana-cloud/main.ts', systems: ['hana-cloud'] },
  chain: { source: 'test/e2e/simulator/chain.ts', systems: ['hana-cloud', 'service-manager'] },
  issuer: { source: 'test/e2e/simulator/issuer.ts', systems: [] },
} as const;

/**
 * Bundles a simulator with its contracts into a folder that any Node 24 can run, and returns its file; `main.mjs` in the
 * folder starts it too.
 */
export async function bundleSimulator(
  folder: string,
  name: keyof typeof SIMULATORS = 'hana-cloud',
): Promise<string> {
  const { source, systems } = SIMULATORS[name];
  const bundled = source.replace(/\.ts$/, '.mjs');
  const main = join(folder, bundled);
  await build({
    ...nodeModule,
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile: main,
    logLevel: 'warning',
  });
  for (const system of systems) {
    /** Read at run time, from beside the code. */
    const contract = `internal/clients/${system}/openapi.yaml`;
    await mkdir(join(folder, dirname(contract)), { recursive: true });
    await copyFile(join(ROOT, contract), join(folder, contract));
  }
  await writeFile(join(folder, 'main.mjs'), `import './${bundled}';\n`);
  return main;
}
