import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

const OPENERS =
  /^(program|framework\/module|systems\/(inventory(?!\/hana-cloud)|btp(?!\/service-manager)|infrastructure-manager|reconciler\/(kyma-cluster|commands)))\/.*\.ts$/;

/** Files of the program and of modules that match. */
async function filesWith(pattern: RegExp): Promise<string[]> {
  const root = new URL('../../../', import.meta.url);
  const found: string[] = [];
  for (const path of await readdir(root, { recursive: true })) {
    if (!OPENERS.test(path) || /\.(test|fixture)\.ts$/.test(path)) continue;
    if (pattern.test(await readFile(new URL(path, root), 'utf8'))) found.push(path);
  }
  return found.sort();
}

test('every command but start and btp cleanup reaches clusters and external APIs over transports that refuse to write', async () => {
  // Both take `readOnly` from the context, which only command-connections.ts makes for commands.
  const opening =
    /\b(createKubeClient|createCluster|createTransport|createHanaCloud|createServiceManager|createClusterPool)\(/;
  expect(await filesWith(opening)).toEqual([
    'program/provider/connections/program-connections.ts',
    'systems/btp/btp.ts',
    'systems/infrastructure-manager/infrastructure-manager.ts',
    'systems/inventory/inventory-connections.ts',
  ]);
  expect(await filesWith(/\bopenProgramConnections\(/)).toEqual([
    'program/provider/connections/program-connections.ts',
    'program/provider/kyma-provider.ts',
  ]);
  expect(await filesWith(/\b(openForWrites|openWritingConnections)\(/)).toEqual([
    'framework/module/module.ts',
    'program/program.ts',
    'systems/btp/cleanup/clean-up.ts',
  ]);
});
