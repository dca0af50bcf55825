import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { nodeModule } from '../../../hack/bundle/node-module.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MAIN = 'test/simulators/hana-cloud/main.ts';
/** Read at run time, from beside the code. */
const CONTRACT = 'internal/clients/hana-cloud/openapi.yaml';

/** Bundles the HANA Cloud simulator with its contract into a folder that any Node 24 can run, and returns its file. */
export async function bundleSimulator(folder: string): Promise<string> {
  const main = join(folder, MAIN.replace(/\.ts$/, '.mjs'));
  await build({
    ...nodeModule,
    absWorkingDir: ROOT,
    entryPoints: [MAIN],
    outfile: main,
    logLevel: 'warning',
  });
  await mkdir(join(folder, dirname(CONTRACT)), { recursive: true });
  await copyFile(join(ROOT, CONTRACT), join(folder, CONTRACT));
  return main;
}
