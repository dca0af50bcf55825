import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

/** Files of the command line and of modules that match. */
async function filesWith(pattern: RegExp): Promise<string[]> {
  const root = new URL('../../', import.meta.url);
  const found: string[] = [];
  for (const path of await readdir(root, { recursive: true })) {
    if (!/^(cli|console|controllers|provider)\/.*\.ts$/.test(path) || /\.(test|fixture)\.ts$/.test(path))
      continue;
    if (pattern.test(await readFile(new URL(path, root), 'utf8'))) found.push(path);
  }
  return found.sort();
}

test('every command but start and btp cleanup reaches clusters and external APIs over transports that refuse to write', async () => {
  // Both take `readOnly` from the context, which only command-connections.ts makes for commands.
  const opening =
    /\b(createKubeClient|createCluster|createTransport|createHanaCloud|createServiceManager|createClusterPool)\(/;
  expect(await filesWith(opening)).toEqual([
    'controllers/btp/btp.ts',
    'controllers/infrastructure-manager/infrastructure-manager.ts',
    'controllers/inventory/connections/inventory-connections.ts',
    'provider/connections/program-connections.ts',
  ]);
  expect(await filesWith(/\bopenProgramConnections\(/)).toEqual([
    'provider/connections/command-connections.ts',
    'provider/connections/program-connections.ts',
    'provider/kyma-provider.ts',
  ]);
  expect(await filesWith(/\b(openForWrites|openWritingConnections)\(/)).toEqual([
    'cli/program.ts',
    'controllers/btp/cleanup/run-cleanup.ts',
    'controllers/module/module.ts',
  ]);
});
