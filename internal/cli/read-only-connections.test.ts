import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';

test('every command but start reaches clusters and HANA Cloud over transports that refuse to write', async () => {
  const root = new URL('./', import.meta.url);
  const openers: string[] = [];
  for (const path of await readdir(root, { recursive: true })) {
    if (!path.endsWith('.ts') || path.endsWith('.test.ts')) continue;
    const text = await readFile(new URL(path, root), 'utf8');
    if (/\b(openConnections|createKubeClient|createTransport|createHanaCloud)\(/.test(text))
      openers.push(path);
  }
  expect(openers.sort()).toEqual(['provider.ts', 'read-only-connections.ts']);
});
