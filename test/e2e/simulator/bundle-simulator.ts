import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { nodeModule } from '../../../hack/bundle/node-module.ts';

const ROOT = join(import.meta.dirname, '../../..');

const HANA_CLOUD = 'internal/systems/inventory/hana-cloud/openapi.yaml';
const SERVICE_MANAGER = 'internal/systems/btp/service-manager/openapi.yaml';

/** Programs by their name, with the contracts of what each simulates, which it reads at run time from beside its code. */
const SIMULATORS = {
  'hana-cloud': { source: 'test/simulators/hana-cloud/main.ts', contracts: [HANA_CLOUD] },
  chain: { source: 'test/e2e/simulator/chain.ts', contracts: [HANA_CLOUD, SERVICE_MANAGER] },
  issuer: { source: 'test/e2e/simulator/issuer.ts', contracts: [] },
} as const;

/**
 * Bundles a simulator with its contracts into a folder that any Node 24 can run, and returns its file; `main.mjs` in the
 * folder starts it too.
 */
export async function bundleSimulator(
  folder: string,
  name: keyof typeof SIMULATORS = 'hana-cloud',
): Promise<string> {
  const { source, contracts } = SIMULATORS[name];
  const bundled = source.replace(/\.ts$/, '.mjs');
  const main = join(folder, bundled);
  await build({
    ...nodeModule,
    absWorkingDir: ROOT,
    entryPoints: [source],
    outfile: main,
    logLevel: 'warning',
  });
  for (const contract of contracts) {
    await mkdir(join(folder, dirname(contract)), { recursive: true });
    await copyFile(join(ROOT, contract), join(folder, contract));
  }
  await writeFile(join(folder, 'main.mjs'), `import './${bundled}';\n`);
  return main;
}
